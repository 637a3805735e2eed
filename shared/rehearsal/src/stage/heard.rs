//! What was told to whom since somebody last looked.

use std::collections::VecDeque;

use rules::SeatId;

/// How many of the newest notices a failure shows.
const SHOWN: usize = 6;

/// Notices in words, by who may read them.
#[derive(Debug)]
pub(crate) struct Heard {
    seats: Vec<Vec<String>>,
    public: Vec<String>,
    /// Public notices that the director holds back (扣住).
    held: Option<Vec<String>>,
    newest: VecDeque<String>,
}

impl Heard {
    pub(crate) fn new(seats: usize) -> Self {
        Self {
            seats: vec![Vec::new(); seats],
            public: Vec::new(),
            held: None,
            newest: VecDeque::new(),
        }
    }

    /// A seat is told something.
    pub(crate) fn tell(&mut self, seat: SeatId, text: &str) {
        if let Some(heard) = self.seats.get_mut(seat.index()) {
            heard.push(text.to_owned());
        }
    }

    /// Something is published, or waits while the director holds it back.
    pub(crate) fn publish(&mut self, text: &str) {
        let place = self.held.as_mut().unwrap_or(&mut self.public);
        place.push(text.to_owned());
    }

    /// 扣住.
    pub(crate) fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// 放行; false when nothing is held back.
    pub(crate) fn release(&mut self) -> bool {
        let Some(held) = self.held.take() else {
            return false;
        };
        self.public.extend(held);
        true
    }

    /// Something for whoever reads the report of a failure.
    pub(crate) fn note(&mut self, to: &str, text: &str) {
        if self.newest.len() == SHOWN {
            self.newest.pop_front();
        }
        self.newest.push_back(format!("{to}: {text}"));
    }

    /// The newest notices, oldest first, each after the name of its reader.
    pub(crate) fn newest(&self) -> Vec<String> {
        self.newest.iter().cloned().collect()
    }

    /// What this seat was told; the next look begins here.
    pub(crate) fn take(&mut self, seat: SeatId) -> Vec<String> {
        self.seats
            .get_mut(seat.index())
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// What was published; the next look begins here.
    pub(crate) fn take_public(&mut self) -> Vec<String> {
        std::mem::take(&mut self.public)
    }

    /// Nothing that was told so far counts any more.
    pub(crate) fn forget(&mut self) {
        self.seats.iter_mut().for_each(Vec::clear);
        self.public.clear();
    }
}
