//! The game's private groups: what the game wants, and what its rooms want done.

use protocol::{
    ChatGroup, GroupPlan, Phrase, PlatformAct, PoolIn, Roster, RosterState, SendOutcome, ToIngest,
};
use serde_json::json;

use super::Game;
use crate::room::{News, Room, Wish};
use crate::step::Step;

impl Game {
    /// Takes a roster. False when it is not newer.
    pub(super) fn take_roster(&mut self, step: &mut Step<'_>, roster: &Roster) -> bool {
        if self
            .roster
            .as_ref()
            .is_some_and(|known| known.version >= roster.version)
        {
            return false;
        }
        self.roster = Some(roster.clone());
        if roster.state == RosterState::Over {
            self.close_rooms(step, |_| true);
        }
        self.each_room(step, Room::tidy);
        self.follow_readers(step);
        true
    }

    /// Takes the list of private groups that the game wants.
    pub(super) fn plan_rooms(&mut self, step: &mut Step<'_>, plans: &[GroupPlan]) -> bool {
        let over = self
            .roster
            .as_ref()
            .is_some_and(|r| r.state == RosterState::Over);
        let plans = if over { &[] } else { plans };
        self.close_rooms(step, |name| plans.iter().all(|plan| plan.name != name));
        for plan in plans {
            if let Some(room) = self.rooms.get_mut(&plan.name) {
                room.keep(&plan.members);
            } else {
                let room = Room::new(&plan.name, &plan.members);
                self.rooms.insert(plan.name.clone(), room);
                step.pool(PoolIn::Take {
                    game: self.id,
                    name: plan.name.clone(),
                });
            }
        }
        self.each_room(step, Room::tidy);
        true
    }

    fn close_rooms(&mut self, step: &mut Step<'_>, which: impl Fn(&str) -> bool) {
        self.rooms.retain(|name, room| {
            let gone = which(name) && room.close();
            if gone {
                step.note(json!({"closed": name}));
            }
            !gone
        });
        self.known_lacking
            .retain(|name| self.rooms.contains_key(name));
    }

    /// The pool has answered. It may answer twice for one lease; the later answer can be out of
    /// date, so it is not looked at.
    pub(super) fn group_given(
        &mut self,
        step: &mut Step<'_>,
        name: &str,
        group: Option<(ChatGroup, u64)>,
    ) -> bool {
        if let Some((_, lease)) = group {
            if lease <= self.newest_lease {
                return false;
            }
            self.newest_lease = lease;
        }
        let group = group.map(|(group, _)| group);
        let (Some(room), Some(roster)) = (self.rooms.get_mut(name), &self.roster) else {
            if let Some(group) = group {
                step.pool(PoolIn::Give {
                    game: self.id,
                    group,
                });
            }
            return group.is_some();
        };
        let mut wishes = Vec::new();
        room.given(group, roster, &mut wishes);
        self.fulfil(step, name, wishes);
        self.tell_of_lacking_groups(step);
        true
    }

    /// Once the pool has answered for all rooms, the directors hear how many groups it lacks.
    fn tell_of_lacking_groups(&mut self, step: &mut Step<'_>) {
        if self.rooms.values().any(Room::is_asked) {
            return;
        }
        let lacking = self.rooms.values().filter(|room| room.lacks_group());
        let lacking: Vec<String> = lacking.map(|room| room.name.clone()).collect();
        let news = lacking
            .iter()
            .any(|name| !self.known_lacking.contains(name));
        self.known_lacking = lacking.iter().cloned().collect();
        if news {
            let args = json!({"count": lacking.len(), "rooms": lacking});
            self.tell_directors(step, "groups/lacking", args, None);
        }
    }

    /// Hands on news about a chat group. False when no room has it.
    pub(super) fn room_news(
        &mut self,
        step: &mut Step<'_>,
        group: ChatGroup,
        news: News<'_>,
    ) -> bool {
        let room = self
            .rooms
            .values_mut()
            .find(|room| room.group() == Some(group));
        let (Some(room), Some(roster)) = (room, &self.roster) else {
            return false;
        };
        let name = room.name.clone();
        let mut wishes = Vec::new();
        room.news(news, roster, &mut wishes);
        self.fulfil(step, &name, wishes);
        true
    }

    /// Takes the outcome of an act. False when no room cares.
    pub(super) fn acted(
        &mut self,
        step: &mut Step<'_>,
        act: &PlatformAct,
        outcome: &SendOutcome,
    ) -> bool {
        self.room_news(step, group_of(act), News::Acted(act, outcome))
    }

    fn each_room(
        &mut self,
        step: &mut Step<'_>,
        change: impl Fn(&mut Room, &Roster, &mut Vec<Wish>),
    ) {
        let Some(roster) = self.roster.clone() else {
            return;
        };
        let names: Vec<String> = self.rooms.keys().cloned().collect();
        for name in names {
            let mut wishes = Vec::new();
            if let Some(room) = self.rooms.get_mut(&name) {
                change(room, &roster, &mut wishes);
            }
            self.fulfil(step, &name, wishes);
        }
    }

    fn fulfil(&mut self, step: &mut Step<'_>, room: &str, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Act(act) => self.act(step, act),
                Wish::Answer {
                    group,
                    user,
                    flag,
                    approve,
                } => {
                    let reason = if approve { String::new() } else { reason(step) };
                    self.act(
                        step,
                        PlatformAct::Answer {
                            group,
                            user,
                            flag,
                            approve,
                            reason,
                        },
                    );
                }
                Wish::Tell(seat, phrase) => self.tell_seat(step, seat, &phrase),
                Wish::TellDirectors(phrase) => {
                    self.tell_directors(step, &phrase.key, phrase.args, None);
                }
                Wish::GiveBack(group) => {
                    let held = self.rooms.get(room).and_then(Room::group);
                    if held.is_none_or(|held| held == group) {
                        self.rooms.remove(room);
                    }
                    step.pool(PoolIn::Give {
                        game: self.id,
                        group,
                    });
                }
            }
        }
    }

    fn act(&mut self, step: &mut Step<'_>, act: PlatformAct) {
        let key = self.own_key("act");
        step.ingest(&ToIngest::Act {
            key,
            act,
            answer: self.id.to_string(),
        });
    }
}

/// What somebody reads who may not join.
fn reason(step: &Step<'_>) -> String {
    let reason = step.texts.render(&Phrase::plain("groups/rejected"));
    reason.unwrap_or_else(|error| {
        tracing::error!(%error, "a rejection has no reason");
        String::new()
    })
}

fn group_of(act: &PlatformAct) -> ChatGroup {
    match act {
        PlatformAct::Rename { group, .. }
        | PlatformAct::Card { group, .. }
        | PlatformAct::Answer { group, .. }
        | PlatformAct::Kick { group, .. }
        | PlatformAct::Mute { group, .. }
        | PlatformAct::ListMembers { group } => *group,
    }
}
