//! What is to be sent or done, in order, until its outcome is known.

use std::collections::VecDeque;

use protocol::{
    ChatGroup, MessageRef, PlatformAct, SayKind, Scene, Send, SendKey, SendOutcome, ToPublish,
};
use serde::{Deserialize, Serialize};

use crate::input::FriendAsked;

/// So many finished jobs are remembered, to answer a repeat of one.
const REMEMBERED: usize = 64;

/// A place in the chat of a scene: what comes later may be new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// Chat time in whole seconds.
    pub secs: i64,
    /// The sequence number in the scene, where the side tells one.
    pub seq: Option<u64>,
    /// Own messages up to here and a little further that are known to be other sends.
    pub said: Vec<MessageRef>,
}

/// Something to send or to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number on the account.
    pub number: u64,
    /// What.
    pub task: Task,
    /// The publish aggregate that waits for the outcome, if any.
    pub answer: Option<String>,
    /// Where the scene was read to when the job was taken: a message of the same text after
    /// this is this job's.
    pub after: After,
    /// The chat message or deadline that it is about.
    #[serde(default)]
    pub trace: String,
}

/// What a job is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Say something.
    Send(Send),
    /// Do something else.
    Act {
        /// Its name.
        key: SendKey,
        /// What.
        act: PlatformAct,
    },
    /// Accept a request to be a friend.
    Befriend {
        /// Its name.
        key: SendKey,
        /// Which.
        asked: FriendAsked,
    },
}

/// Jobs of one lane are done one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// What is said in a scene.
    Say(Scene),
    /// What is done in a group.
    Act(ChatGroup),
    /// Requests to be a friend.
    Friends,
}

impl Task {
    fn key(&self) -> (&SendKey, bool) {
        match self {
            Self::Send(send) => (&send.key, send.repeat),
            Self::Act { key, .. } | Self::Befriend { key, .. } => (key, false),
        }
    }

    /// Its lane.
    pub fn lane(&self) -> Lane {
        match self {
            Self::Send(send) => Lane::Say(send.scene),
            Self::Act { act, .. } => Lane::Act(group_of(act)),
            Self::Befriend { .. } => Lane::Friends,
        }
    }

    /// Must it not wait behind what comes to many people at once?
    pub fn is_urgent(&self) -> bool {
        match self {
            Self::Send(send) => {
                send.kind == SayKind::Answer || matches!(send.scene, Scene::Group(_))
            }
            Self::Act { .. } | Self::Befriend { .. } => false,
        }
    }

    /// What publish is told about it; nothing of what it did not ask for.
    pub(super) fn answer(&self, outcome: SendOutcome) -> Option<ToPublish> {
        match self {
            Self::Send(send) => Some(ToPublish::Sent {
                key: send.key.clone(),
                outcome,
            }),
            Self::Act { key, act } => Some(ToPublish::ActDone {
                key: key.clone(),
                act: act.clone(),
                outcome,
            }),
            Self::Befriend { .. } => None,
        }
    }
}

/// The group in which something is done.
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

/// Was a job known already?
pub(super) enum Known {
    /// No: it is in the queue now.
    New,
    /// It is in the queue since earlier.
    Waiting,
    /// It is done, with this outcome.
    Done(Task, SendOutcome),
}

/// All jobs of an account.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Jobs {
    last: u64,
    waiting: VecDeque<Job>,
    finished: VecDeque<(Task, SendOutcome)>,
    /// What the present step is about.
    #[serde(skip)]
    about: String,
}

impl Jobs {
    /// What is added from now on is about this.
    pub(super) fn about(&mut self, trace: &str) {
        trace.clone_into(&mut self.about);
    }

    /// Puts a task at the end of its lane, unless its name is known.
    pub(super) fn add(&mut self, task: Task, answer: Option<&String>, after: After) -> Known {
        if self.waiting.iter().any(|job| job.task.key() == task.key()) {
            return Known::Waiting;
        }
        if let Some((old, outcome)) = self
            .finished
            .iter()
            .find(|(old, _)| old.key() == task.key())
        {
            return Known::Done(old.clone(), outcome.clone());
        }
        self.last += 1;
        self.waiting.push_back(Job {
            number: self.last,
            task,
            answer: answer.cloned(),
            after,
            trace: self.about.clone(),
        });
        Known::New
    }

    /// Takes a job out; `None` when it is not there (any more).
    pub(super) fn done(&mut self, number: u64, outcome: &SendOutcome) -> Option<Job> {
        let at = self.waiting.iter().position(|job| job.number == number)?;
        let job = self.waiting.remove(at)?;
        if job.answer.is_some() {
            self.finished.push_back((job.task.clone(), outcome.clone()));
            if self.finished.len() > REMEMBERED {
                self.finished.pop_front();
            }
        }
        Some(job)
    }

    /// All that wait, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Job> {
        self.waiting.iter()
    }
}
