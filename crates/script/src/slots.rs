//! A slab whose keys go stale: a key of something removed never finds what took its place.

/// Bits of a key that say where; the rest says which generation.
const INDEX_BITS: u32 = 20;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
/// Keys fit 31 bits, so that a script engine holds them as small integers.
const GENERATIONS: u32 = 1 << (31 - INDEX_BITS);

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// Values under keys of 31 bits, a million at most.
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slots<T> {
    /// Puts a value in; `None`: a million are in already.
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        if let Some(index) = self.free.pop() {
            let slot = self.slots.get_mut(index as usize)?;
            slot.value = Some(value);
            return Some(slot.generation << INDEX_BITS | index);
        }
        let index = u32::try_from(self.slots.len())
            .ok()
            .filter(|&index| index <= INDEX_MASK)?;
        self.slots.push(Slot {
            generation: 0,
            value: Some(value),
        });
        Some(index)
    }

    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        let slot = self.slots.get((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_ref()
    }

    pub(crate) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.slots.get_mut((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_mut()
    }

    pub(crate) fn remove(&mut self, key: u32) -> Option<T> {
        let index = key & INDEX_MASK;
        let slot = self.slots.get_mut(index as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.free.push(index);
        Some(value)
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn a_stale_key_finds_nothing() {
        let mut slots = Slots::default();
        let first = slots.insert("a").unwrap();
        assert_eq!(slots.remove(first), Some("a"));
        let second = slots.insert("b").unwrap();
        assert_ne!(first, second);
        assert_eq!(slots.get(first), None);
        assert_eq!(slots.remove(first), None);
        assert_eq!(slots.get(second), Some(&"b"));
    }
}
