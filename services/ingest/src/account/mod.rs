//! The aggregate of an account: who is who on it, up to where each chat has been read, and what
//! is still to be sent.
//!
//! Invariant: nothing here depends on settings that may change between two runs; what does (who
//! may open games) comes in with the input.

mod directory;
mod hints;
mod jobs;
mod news;
mod route;
mod scenes;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use kit::{Aggregate, Effects, LoadError};
use protocol::{
    AccountId, ChatGroup, Directory, GameId, Roster, RosterState, SayKind, Scene, Send, SendKey,
    Service,
};
use serde::{Deserialize, Serialize};
use texts::Texts;

pub(crate) use directory::GroupUse;
pub use jobs::{After, Job, Lane, Task};
pub(crate) use route::STALE;
pub use scenes::Point;

use directory::Games;
use jobs::{Jobs, Known};
use scenes::Scenes;

use crate::input::Input;

/// What surrounds the aggregates.
#[derive(Debug, Clone)]
pub struct Env {
    /// The words of the hints that the bridge gives itself.
    pub texts: Texts,
}

/// An account.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Account {
    id: AccountId,
    /// Lines taken so far.
    arrival: u64,
    /// Hints given so far.
    hints: u64,
    games: Games,
    directory: Directory,
    scenes: Scenes,
    jobs: Jobs,
}

/// The key of an account's aggregate.
pub fn key(account: AccountId) -> String {
    format!("account:{account}")
}

/// The account of an aggregate's key.
pub fn account_of(key: &str) -> Option<AccountId> {
    key.strip_prefix("account:")?.parse().ok().map(AccountId)
}

/// The key of an account's pool of groups.
fn pool_key(account: AccountId) -> String {
    format!("pool:{account}")
}

impl Aggregate for Account {
    const SERVICE: Service = Service::Ingest;
    type Input = Input;
    type Env = Env;

    fn new(_env: &Env, key: &str) -> Self {
        Self {
            id: account_of(key).unwrap_or(AccountId(0)),
            arrival: 0,
            hints: 0,
            games: Games::default(),
            directory: Directory {
                version: 0,
                groups: Vec::new(),
            },
            scenes: Scenes::default(),
            jobs: Jobs::default(),
        }
    }

    fn about(&mut self, trace: &str) {
        self.jobs.about(trace);
    }

    fn handle(&mut self, env: &Env, input: &Input) -> Effects {
        let mut effects = Effects::default();
        match input {
            Input::Send { send, answer } => {
                let after = self.scenes.after(send.scene);
                let known = self.jobs.add(Task::Send(send.clone()), Some(answer), after);
                answer_known(known, answer, &mut effects);
            }
            Input::Act { key, act, answer } => {
                let task = Task::Act {
                    key: key.clone(),
                    act: act.clone(),
                };
                let known = self.jobs.add(task, Some(answer), After::default());
                answer_known(known, answer, &mut effects);
            }
            Input::Roster(roster) => {
                if !self.games.put(roster) {
                    return Effects::ignored();
                }
                self.scenes.prune(|| self.games.people());
            }
            Input::Directory(directory) => {
                if directory.version <= self.directory.version {
                    return Effects::ignored();
                }
                self.directory = directory.clone();
            }
            Input::Heard(heard) => self.heard(env, heard, &mut effects),
            Input::Recalled { scene, message } => self.recalled(*scene, message, &mut effects),
            Input::FriendAsked(asked) => self.friend_asked(asked, &mut effects),
            Input::News { group, news } => self.news(*group, news, &mut effects),
            Input::Outcome { job, outcome } => {
                let Some(job) = self.jobs.done(*job, outcome) else {
                    return Effects::ignored();
                };
                if let (
                    Task::Send(send),
                    protocol::SendOutcome::Done {
                        message: Some(message),
                    },
                ) = (&job.task, outcome)
                {
                    self.scenes.said(send.scene, message.clone());
                }
                if let Some(answer) = &job.answer
                    && let Some(body) = job.task.answer(outcome.clone())
                {
                    effects.send(Service::Publish, answer, &body);
                }
            }
            Input::Back { at } => self.scenes.open_gap(*at),
            Input::CaughtUp => self.scenes.close_gap(),
            Input::WasAway { from, to } => self.was_away(*from, *to, &mut effects),
        }
        effects
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an account always serializes")
    }

    fn load(_env: &Env, _key: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        serde_json::from_slice(bytes).map_err(|error| LoadError(error.to_string()))
    }
}

impl Account {
    /// What is still to be sent or done.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter()
    }

    /// The next job of a lane.
    pub fn next_job(&self, lane: Lane) -> Option<&Job> {
        self.jobs().find(|job| job.task.lane() == lane)
    }

    /// Is something in a lane urgent? Then all that is before it there is, too.
    pub fn is_urgent(&self, lane: Lane) -> bool {
        self.jobs()
            .any(|job| job.task.is_urgent() && job.task.lane() == lane)
    }

    /// The number of the next job of each lane.
    pub fn first_jobs(&self) -> HashSet<u64> {
        let mut lanes = HashSet::new();
        let first = self.jobs().filter(|job| lanes.insert(job.task.lane()));
        first.map(|job| job.number).collect()
    }

    /// Up to where a scene has been read.
    pub fn point(&self, scene: Scene) -> Option<&Point> {
        self.scenes.point(scene)
    }

    /// The newest own messages of a scene that are known to be finished sends, by name.
    pub fn said(&self, scene: Scene) -> Vec<protocol::MessageRef> {
        self.scenes.after(scene).said
    }

    /// The scenes that have to be caught up on after an absence, each with the place from which
    /// on lines may be missing.
    pub fn to_catch_up(&self) -> Vec<(Scene, After)> {
        let squares = self.games.live().map(|roster| roster.square);
        let groups = self.live_groups().map(|(group, _)| group);
        let people = self.games.people();
        let mut scenes: Vec<Scene> = squares.chain(groups).map(Scene::Group).collect();
        scenes.extend(people.into_iter().map(Scene::Private));
        scenes.extend(self.scenes.private());
        scenes.sort_unstable();
        scenes.dedup();
        scenes
            .into_iter()
            .map(|scene| (scene, self.scenes.read_from(scene)))
            .collect()
    }

    /// The chat time, in whole seconds, from which on lines may be missing.
    pub fn missed_since(&self) -> i64 {
        self.scenes.missed_since()
    }

    /// The place from which on lines of a scene may be missing.
    pub fn missed_of(&self, scene: Scene) -> After {
        self.scenes.read_from(scene)
    }

    /// Do people sign up for a game?
    pub fn has_lobby(&self) -> bool {
        let lobby = |roster: &Roster| roster.state == RosterState::Lobby;
        self.games.live().any(lobby)
    }

    /// The groups whose members have to be read again after an absence.
    pub fn groups_to_list(&self) -> Vec<ChatGroup> {
        let squares = self.games.live().map(|roster| roster.square);
        let mut groups: Vec<_> = squares
            .chain(self.live_groups().map(|(group, _)| group))
            .collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// The private groups in use, with their games.
    fn live_groups(&self) -> impl Iterator<Item = (ChatGroup, GameId)> {
        self.directory
            .groups
            .iter()
            .map(|entry| (entry.group, entry.game))
    }

    /// Has the bridge itself say something.
    fn hint(&mut self, scene: Scene, parts: Vec<protocol::Part>) {
        self.hints += 1;
        let key = SendKey(format!("ingest/{}/{}", self.id, self.hints));
        let send = Send {
            key,
            scene,
            parts,
            repeat: false,
            kind: SayKind::Answer,
        };
        let after = self.scenes.after(scene);
        self.jobs.add(Task::Send(send), None, after);
    }
}

/// Nothing more happens for a job that is known. One that is done is answered again: whoever
/// asks has not heard the answer.
fn answer_known(known: Known, answer: &str, effects: &mut Effects) {
    match known {
        Known::New => {}
        Known::Waiting => effects.ignore = true,
        Known::Done(task, outcome) => {
            if let Some(body) = task.answer(outcome) {
                effects.send(Service::Publish, answer, &body);
            }
        }
    }
}
