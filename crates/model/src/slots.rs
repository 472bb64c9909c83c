/// Bits of a key that say where; the rest says which generation.
const INDEX_BITS: u32 = 20;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
/// Keys fit 31 bits, so that a script engine holds them as small integers.
const GENERATIONS: u32 = 1 << (31 - INDEX_BITS);

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// A table whose keys go stale: the key of something taken out never finds what took its place.
/// Keys have 31 bits, a million values at most are in at a time.
#[derive(Debug)]
pub struct Slots<T> {
    places: Vec<Slot<T>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Slots<T> {
    /// Puts a value in; `None`: a million are in already.
    pub fn insert(&mut self, value: T) -> Option<u32> {
        if let Some(index) = self.free.pop() {
            let slot = self.places.get_mut(index as usize)?;
            slot.value = Some(value);
            self.len += 1;
            return Some(slot.generation << INDEX_BITS | index);
        }
        let index = u32::try_from(self.places.len())
            .ok()
            .filter(|&index| index <= INDEX_MASK)?;
        self.places.push(Slot {
            generation: 0,
            value: Some(value),
        });
        self.len += 1;
        Some(index)
    }

    /// The value under a key, unless it was taken out.
    pub fn get(&self, key: u32) -> Option<&T> {
        let slot = self.places.get((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_ref()
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.places.get_mut((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_mut()
    }

    /// Takes a value out; its key finds nothing from now on.
    pub fn remove(&mut self, key: u32) -> Option<T> {
        let index = key & INDEX_MASK;
        let slot = self.places.get_mut(index as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        let value = slot.value.take()?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.free.push(index);
        self.len -= 1;
        Some(value)
    }

    /// Takes everything out; the keys of what was in stay stale.
    pub fn clear(&mut self) {
        let keys: Vec<u32> = self.iter_mut().map(|(key, _)| key).collect();
        for key in keys {
            self.remove(key);
        }
    }

    /// How many values are in.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is in.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All values with their keys.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        (0_u32..).zip(&mut self.places).filter_map(|(index, slot)| {
            let key = slot.generation << INDEX_BITS | index;
            slot.value.as_mut().map(|value| (key, value))
        })
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
        assert_eq!(slots.len(), 1);
        slots.clear();
        assert!(slots.is_empty());
        let third = slots.insert("c").unwrap();
        assert_eq!(slots.get(second), None);
        assert_eq!(slots.get_mut(third), Some(&mut "c"));
    }
}
