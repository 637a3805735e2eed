//! Who went out since somebody last looked, in the order in which it is published.

use rules::Game;
use rules::SeatId;
use rules::world::OutRecord;

/// What has been looked at, and which goings-out one list has published.
#[derive(Debug, Default)]
pub(crate) struct Outs {
    seen: Vec<OutRecord>,
    /// How many goings-out were published after each list so far.
    lists: Vec<usize>,
}

impl Outs {
    /// The game has moved. What a rewind or a ruling has undone has not been seen: should it
    /// come again, it is new.
    pub(crate) fn follow(&mut self, game: &Game) {
        let outs = game.outs();
        self.seen.retain(|seen| outs.contains(seen));
        let published = game.world().published;
        self.lists.retain(|end| *end < published);
        if published > 0 {
            self.lists.push(published);
        }
    }

    /// Who went out since the last look, in the order of publication: list after list, each in
    /// the board's own order, and last what no list has published yet (G4).
    pub(crate) fn take(&mut self, game: &Game) -> Vec<SeatId> {
        let outs = game.outs();
        let seen = std::mem::replace(&mut self.seen, outs.to_vec());
        let list_of = |place: usize| self.lists.partition_point(|end| *end <= place);
        let new: Vec<(usize, OutRecord)> = outs
            .iter()
            .enumerate()
            .filter(|(_, out)| !seen.contains(out))
            .map(|(place, out)| (list_of(place), *out))
            .collect();
        let lists = new.chunk_by(|(one, _), (other, _)| one == other);
        lists
            .flat_map(|list| {
                let records: Vec<OutRecord> = list.iter().map(|(_, out)| *out).collect();
                game.ordered(&records)
            })
            .collect()
    }
}
