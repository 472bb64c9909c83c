/// Number of bits of a key that hold the slot's index. The other bits hold the generation.
const INDEX_BITS: u32 = 20;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
/// Number of generations. Keys fit into 31 bits, so that a script engine stores them as small integers.
const GENERATIONS: u32 = 1 << (31 - INDEX_BITS);

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// A table with generational keys: the key of a removed value does not find a later value in the same slot. (A key
/// repeats only after 2,048 more values in its slot.) Keys have 31 bits. The table holds at most 2^20 values, about a
/// million.
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
    /// Adds a value and returns its key. `None` if the table is full.
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

    /// The value with this key, unless it was removed.
    pub fn get(&self, key: u32) -> Option<&T> {
        let slot = self.places.get((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_ref()
    }

    /// The value with this key, mutable.
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.places.get_mut((key & INDEX_MASK) as usize)?;
        (slot.generation == key >> INDEX_BITS).then_some(())?;
        slot.value.as_mut()
    }

    /// Removes a value. Its key finds nothing from now on.
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

    /// Removes all values. Their keys find nothing from now on, even when the slots are used again.
    pub fn clear(&mut self) {
        let keys: Vec<u32> = self.iter_mut().map(|(key, _)| key).collect();
        for key in keys {
            self.remove(key);
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
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
