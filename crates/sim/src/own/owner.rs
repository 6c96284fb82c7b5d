//! Owner of the part that is being made on this thread: its maker is asked deep inside of what makes senders, and is not told.

use std::cell::RefCell;

use crate::random::Stream;

struct Owner {
    name: String,
    seed: u64,
    /// Parts that it has been given so far.
    parts: u32,
}

thread_local! {
    static CURRENT: RefCell<Option<Owner>> = const { RefCell::new(None) };
}

/// Makes something whose parts belong to `name`, such as `flow f1`.
pub(crate) fn owned_by<T>(name: String, seed: u64, make: impl FnOnce() -> T) -> T {
    CURRENT.set(Some(Owner { name, seed, parts: 0 }));
    // Should it unwind, the next one that is made is another's, or the name is that of a run that is over.
    let made = make();
    CURRENT.set(None);
    made
}

/// The owner of a part that is about to be made, empty outside of a run, and the part's random numbers.
pub(super) fn current(class: &str) -> (String, Stream) {
    CURRENT.with_borrow_mut(|current| match current {
        None => (String::new(), Stream::new(0, class)),
        Some(owner) => {
            owner.parts += 1;
            let stream = format!("{}/own/{}", owner.name.replacen(' ', "/", 1), owner.parts);
            (owner.name.clone(), Stream::new(owner.seed, &stream))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_an_owner_has_random_numbers_of_its_own_and_the_same_in_each_run() {
        let draws = |seed| {
            owned_by("flow f".into(), seed, || {
                [(); 2].map(|()| {
                    let (name, mut stream) = current("Own");
                    assert_eq!(name, "flow f");
                    stream.uniform()
                })
            })
        };
        let [first, second] = draws(1);
        assert_ne!(first, second);
        assert_eq!(draws(1), [first, second]);
        assert_ne!(draws(2)[0], first);
        assert_eq!(current("Own").0, "");
    }
}
