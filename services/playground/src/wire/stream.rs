//! The stream of events, and what can go wrong with it.

use serde_json::Value;

use super::faults::FaultBoard;

/// Puts events in the order in which they go out.
#[derive(Debug, Default)]
pub(super) struct Stream {
    held: Option<Value>,
}

impl Stream {
    /// The frames for a message event.
    pub(super) fn message(&mut self, faults: &FaultBoard, event: Value) -> Vec<Value> {
        if deaf(faults) || faults.spend(|faults| &mut faults.lose_events) {
            return Vec::new();
        }
        if let Some(earlier) = self.held.take() {
            return vec![event, earlier];
        }
        if faults.spend(|faults| &mut faults.swap_events) {
            self.held = Some(event);
            return Vec::new();
        }
        if faults.spend(|faults| &mut faults.duplicate_events) {
            return vec![event.clone(), event];
        }
        vec![event]
    }

    /// The frames for any other event.
    pub(super) fn other(faults: &FaultBoard, event: Value) -> Vec<Value> {
        if deaf(faults) {
            return Vec::new();
        }
        let recall = event["notice_type"]
            .as_str()
            .is_some_and(|kind| kind.ends_with("_recall"));
        if recall && faults.now().recall_twice {
            vec![event.clone(), event]
        } else {
            vec![event]
        }
    }

    /// Nothing came to swap with: what is held goes out late.
    pub(super) fn release(&mut self) -> Option<Value> {
        self.held.take()
    }
}

fn deaf(faults: &FaultBoard) -> bool {
    let now = faults.now();
    now.silent || now.bot_offline
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn board(faults: &Value) -> FaultBoard {
        let board = FaultBoard::default();
        board.set(faults).unwrap();
        board
    }

    fn say(stream: &mut Stream, board: &FaultBoard, ids: &[u32]) -> Vec<Value> {
        ids.iter()
            .flat_map(|id| stream.message(board, json!(id)))
            .collect()
    }

    #[test]
    fn events_are_lost_swapped_and_doubled_as_ordered() {
        let board = board(&json!({"lose_events": 1, "swap_events": 1, "duplicate_events": 1}));
        let mut stream = Stream::default();
        assert_eq!(
            say(&mut stream, &board, &[1, 2, 3, 4, 5]),
            [3, 2, 4, 4, 5].map(Value::from)
        );
    }

    #[test]
    fn what_is_held_goes_out_in_the_end() {
        let board = board(&json!({"swap_events": 1}));
        let mut stream = Stream::default();
        assert!(say(&mut stream, &board, &[1]).is_empty());
        assert_eq!(stream.release(), Some(json!(1)));
        assert_eq!(stream.release(), None);
    }

    #[test]
    fn a_silent_side_tells_nothing() {
        let board = board(&json!({"silent": true}));
        assert!(say(&mut Stream::default(), &board, &[1]).is_empty());
        assert!(Stream::other(&board, json!({"notice_type": "group_ban"})).is_empty());
    }

    #[test]
    fn recalls_come_twice_when_ordered() {
        let board = board(&json!({"recall_twice": true}));
        assert_eq!(
            Stream::other(&board, json!({"notice_type": "group_recall"})).len(),
            2
        );
        assert_eq!(
            Stream::other(&board, json!({"notice_type": "group_ban"})).len(),
            1
        );
    }
}
