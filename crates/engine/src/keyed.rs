/// A table whose keys are not given out again for long: a key of something gone finds nothing.
///
/// The low 21 bits of a key are the place, the rest counts how often the place was filled.
#[derive(Debug)]
pub(crate) struct Keyed<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    len: usize,
}

#[derive(Debug)]
struct Slot<T> {
    turn: u32,
    value: Option<T>,
}

const PLACE_BITS: u32 = 21;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Keyed<T> {
    /// `None`: two million are there already.
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                let place = u32::try_from(self.slots.len())
                    .ok()
                    .filter(|&place| place <= PLACE_MASK)?;
                self.slots.push(Slot {
                    turn: 0,
                    value: None,
                });
                place
            }
        };
        let slot = &mut self.slots[place as usize];
        slot.value = Some(value);
        self.len += 1;
        Some(slot.turn << PLACE_BITS | place)
    }

    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        let slot = self.slots.get((key & PLACE_MASK) as usize)?;
        slot.value
            .as_ref()
            .filter(|_| slot.turn == key >> PLACE_BITS)
    }

    pub(crate) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.slots.get_mut((key & PLACE_MASK) as usize)?;
        slot.value
            .as_mut()
            .filter(|_| slot.turn == key >> PLACE_BITS)
    }

    pub(crate) fn remove(&mut self, key: u32) -> Option<T> {
        let place = key & PLACE_MASK;
        let slot = self
            .slots
            .get_mut(place as usize)
            .filter(|slot| slot.turn == key >> PLACE_BITS)?;
        let value = slot.value.take()?;
        slot.turn = (slot.turn + 1) & (u32::MAX >> PLACE_BITS);
        self.free.push(place);
        self.len -= 1;
        Some(value)
    }

    /// Takes everything out; keys of what was in stay stale.
    pub(crate) fn clear(&mut self) {
        for place in 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX) {
            let key = self.slots[place as usize].turn << PLACE_BITS | place;
            self.remove(key);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        (0_u32..).zip(&mut self.slots).filter_map(|(place, slot)| {
            let key = slot.turn << PLACE_BITS | place;
            slot.value.as_mut().map(|value| (key, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_something_gone_finds_nothing_although_its_place_is_taken_again() {
        let mut table = Keyed::default();
        let first = table.insert("a").unwrap();
        assert_eq!(table.remove(first), Some("a"));
        let second = table.insert("b").unwrap();
        assert_eq!(table.get(first), None);
        assert_eq!(table.remove(first), None);
        assert_eq!(table.get_mut(second), Some(&mut "b"));
        assert_eq!(table.len(), 1);
        assert_eq!(
            table.iter_mut().map(|(key, _)| key).collect::<Vec<_>>(),
            vec![second]
        );
    }
}
