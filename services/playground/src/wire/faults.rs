//! What can go wrong on the other side, on demand: each was seen in the wild. Fields that count
//! go down by one with each use.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

/// How message ids look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdStyle {
    /// Positive numbers.
    #[default]
    Number,
    /// All ids, also those of people and groups, as strings.
    Text,
    /// Negative message ids.
    Negative,
    /// Message ids that collide between chats.
    Colliding,
}

/// How messages look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageStyle {
    /// As arrays of segments.
    #[default]
    Array,
    /// As CQ strings.
    String,
}

/// How a private message from someone who is no friend tells the group it came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TemporaryStyle {
    /// With the group's number beside the private message.
    #[default]
    Plain,
    /// Not at all.
    Without,
    /// With a number that stands for nothing.
    Placeholder,
    /// Inside `sender`.
    Nested,
}

/// Refuse sends with one of the platform's result numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefuseSends {
    /// 110, 120, 16, 102, 103, 1006514, …
    pub result: i64,
    /// How many sends.
    pub count: u32,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, set by name over HTTP"
)]
pub struct Faults {
    /// The quote of a message gets lost; the automatic mention and the text stay.
    pub drop_reply: bool,
    /// So many message events come twice.
    pub duplicate_events: u32,
    /// So many pairs of message events come in the wrong order.
    pub swap_events: u32,
    /// So many message events never come; history has them.
    pub lose_events: u32,
    /// So many sends arrive although the answer says `Timeout`.
    pub timeout_sends: u32,
    /// So many sends do not arrive and the answer says `Timeout`.
    pub lose_sends: u32,
    /// Sends are refused.
    pub refuse_sends: Option<RefuseSends>,
    /// So many calls of an action, by its name, answer ok and do nothing.
    pub no_effect: BTreeMap<String, u32>,
    /// A private send with a group id goes to the group (`NapCat`, when the person is not found).
    pub private_leak: bool,
    /// `send_msg` with any group id goes to the group (`SnowLuma`).
    pub send_msg_leak: bool,
    /// Answers carry no `data`.
    pub no_data: bool,
    /// So many answers come twice.
    pub answer_twice: u32,
    /// So many answers never come; the action is done.
    pub answer_never: u32,
    /// No events but heartbeats that say all is well.
    pub silent: bool,
    /// The account is offline, the socket stays: no events, sends time out.
    pub bot_offline: bool,
    /// How message ids look.
    pub ids: IdStyle,
    /// How messages look.
    pub messages: MessageStyle,
    /// How temporary chats look.
    pub temporary: TemporaryStyle,
    /// Own messages come as events too.
    pub own_messages: bool,
    /// Who came and went is told with the wrong kind and nobody as operator.
    pub odd_members: bool,
    /// A recall is told twice.
    pub recall_twice: bool,
    /// Requests to join are not told, only listed.
    pub hidden_requests: bool,
    /// Calls are not answered at all and nothing is done: a hung process.
    pub hung: bool,
    /// The connection is cut and stays so for so many milliseconds.
    pub disconnect_ms: u64,
    /// The other side starts anew: the connection is cut, and ids from before are not known any
    /// more until a history lists them.
    pub restart: bool,
}

/// A set of faults that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("看不懂这些故障：{0}")]
pub struct BadFaults(String);

/// The faults in force. Cheap to ask; whoever waits is woken by a change.
#[derive(Debug, Default)]
pub struct FaultBoard {
    faults: Mutex<Faults>,
    changed: watch::Sender<u64>,
}

impl FaultBoard {
    /// The faults as they are.
    pub fn now(&self) -> Faults {
        self.lock().clone()
    }

    /// Sets the faults that are named in a JSON object; the others stay as they are.
    pub fn set(&self, named: &Value) -> Result<Faults, BadFaults> {
        let named = named
            .as_object()
            .ok_or_else(|| BadFaults("要一个 JSON 对象".to_owned()))?;
        let mut faults = self.lock();
        let mut whole = serde_json::to_value(&*faults).unwrap_or_default();
        if let Some(fields) = whole.as_object_mut() {
            fields.extend(named.clone());
        }
        let new: Faults =
            serde_json::from_value(whole).map_err(|error| BadFaults(error.to_string()))?;
        faults.clone_from(&new);
        drop(faults);
        self.changed.send_modify(|changes| *changes += 1);
        Ok(new)
    }

    /// Everything works again.
    pub fn clear(&self) {
        *self.lock() = Faults::default();
        self.changed.send_modify(|changes| *changes += 1);
    }

    /// Listens for changes.
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Uses up one of a fault that counts; false when it is not in force.
    pub(super) fn spend(&self, which: impl FnOnce(&mut Faults) -> &mut u32) -> bool {
        let mut faults = self.lock();
        let count = which(&mut faults);
        let in_force = *count > 0;
        *count = count.saturating_sub(1);
        in_force
    }

    /// Uses up one refusal of a send; its result number.
    pub(super) fn spend_refusal(&self) -> Option<i64> {
        let mut faults = self.lock();
        let refusal = faults
            .refuse_sends
            .as_mut()
            .filter(|refusal| refusal.count > 0)?;
        refusal.count -= 1;
        Some(refusal.result)
    }

    /// Uses up one call without effect of this action.
    pub(super) fn spend_no_effect(&self, action: &str) -> bool {
        let mut faults = self.lock();
        let Some(count) = faults.no_effect.get_mut(action).filter(|count| **count > 0) else {
            return false;
        };
        *count -= 1;
        true
    }

    /// Takes the order to cut the connection, if there is one: for how many milliseconds, and
    /// whether old ids are forgotten.
    pub(super) fn take_cut(&self) -> Option<(u64, bool)> {
        let mut faults = self.lock();
        let cut = faults.disconnect_ms > 0 || faults.restart;
        let order = (faults.disconnect_ms, faults.restart);
        faults.disconnect_ms = 0;
        faults.restart = false;
        cut.then_some(order)
    }

    fn lock(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn named_faults_are_set_and_the_others_stay() {
        let board = FaultBoard::default();
        board
            .set(&json!({"drop_reply": true, "ids": "text"}))
            .unwrap();
        let now = board
            .set(&json!({"refuse_sends": {"result": 120, "count": 2}}))
            .unwrap();
        assert!(now.drop_reply);
        assert_eq!(now.ids, IdStyle::Text);
        assert_eq!(board.spend_refusal(), Some(120));
        assert_eq!(board.spend_refusal(), Some(120));
        assert_eq!(board.spend_refusal(), None);
        board.clear();
        assert_eq!(board.now(), Faults::default());
    }

    #[test]
    fn what_is_not_understood_changes_nothing() {
        let board = FaultBoard::default();
        for bad in [
            json!(7),
            json!({"drop_replies": true}),
            json!({"lose_events": -1}),
        ] {
            assert!(board.set(&bad).is_err(), "{bad}");
        }
        assert_eq!(board.now(), Faults::default());
    }

    #[test]
    fn counts_go_down() {
        let board = FaultBoard::default();
        board
            .set(&json!({"lose_events": 1, "no_effect": {"set_group_kick": 1}}))
            .unwrap();
        assert!(board.spend(|faults| &mut faults.lose_events));
        assert!(!board.spend(|faults| &mut faults.lose_events));
        assert!(board.spend_no_effect("set_group_kick"));
        assert!(!board.spend_no_effect("set_group_kick"));
        assert!(!board.spend_no_effect("set_group_name"));
    }

    #[test]
    fn a_cut_is_taken_once() {
        let board = FaultBoard::default();
        assert_eq!(board.take_cut(), None);
        board.set(&json!({"restart": true})).unwrap();
        assert_eq!(board.take_cut(), Some((0, true)));
        assert_eq!(board.take_cut(), None);
    }
}
