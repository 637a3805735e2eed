//! Listens to one account: catches up, takes events, tells watermarks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onebot::{
    Action, ChatMessage, Departure, Event, EventKind, Message, Meta, Notice, Outcome, Piece,
    Request,
};
use protocol::{AccountId, ChatGroup, MessageId, MessageRef, Refused, Scene, UserId};
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::account::{After, GroupUse};
use crate::bridge::Bridge;
use crate::history::{History, HistoryError};
use crate::input::{Heard, Input, News, chat, heard_id, news_id, recalled_id, scene};
use crate::side::{AccountSide, Called, Link, LinkEvent, Links, SideState};
use crate::watermark::Watermark;

/// A side that has not answered so many signs of life never does: its watermarks follow the
/// clock instead.
const BEATS_WITHOUT_ANSWER: u32 = 10;
/// After so many vain looks for missing messages a scene's sequence is taken as full of holes.
const MOST_VAIN: u32 = 5;

/// The connection was lost while these scenes had not been read.
struct Interrupted(HashSet<Scene>);

/// What an event asks for besides being taken.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    /// The account is online again: what it missed has to be read.
    CatchUp,
}

/// How far a scene's sequence has been followed.
#[derive(Default)]
struct Track {
    last: Option<u64>,
    vain: u32,
}

/// Listens to one account.
pub(crate) struct Listener {
    bridge: Bridge,
    side: Arc<AccountSide>,
    history: History,
    watermark: Watermark,
    tracks: HashMap<Scene, Track>,
    nonce: uuid::Uuid,
    sessions: u64,
}

impl Listener {
    pub(crate) fn new(bridge: Bridge, side: Arc<AccountSide>) -> Self {
        let history = History::new(Arc::clone(&side), bridge.settings().limits);
        let watermark = Watermark::new(side.account);
        let nonce = uuid::Uuid::now_v7();
        let tracks = HashMap::new();
        let listener = Self {
            bridge,
            side,
            history,
            watermark,
            tracks,
            nonce,
            sessions: 0,
        };
        listener.report_health();
        listener
    }

    /// Listens until we stop.
    pub(crate) async fn run(mut self) {
        let shutdown = self.bridge.parts().shutdown.clone();
        let mut links = self.side.links();
        loop {
            let connected = tokio::select! {
                connected = connected(&mut links) => connected,
                () = shutdown.cancelled() => return,
            };
            let Some((api, events)) = connected else {
                return;
            };
            self.session(&api, &events).await;
            self.watermark.interrupt();
            self.side.state.send_replace(SideState::Away);
            // A link that has ended is taken off the account's list by its pump; until then
            // there is no new session with it.
            tokio::select! {
                () = replaced(&mut links, &api, &events) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// One connection, from its beginning to its end.
    async fn session(&mut self, api: &Link, events: &Link) {
        let mut inbox = events.events().lock().await;
        self.side.state.send_replace(SideState::CatchingUp);
        if let Err(Interrupted(unread)) = self.catch_up().await {
            tracing::warn!(account = %self.side.account, "connection lost while catching up");
            self.take_rest(&mut inbox, &unread).await;
            return;
        }
        let shutdown = self.bridge.parts().shutdown.clone();
        let mut links = self.side.links();
        let mut beat = interval(self.bridge.settings().limits.beat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        loop {
            let event = tokio::select! {
                biased;
                event = inbox.recv() => event,
                () = api.gone() => break,
                () = replaced(&mut links, api, events) => break,
                () = shutdown.cancelled() => break,
                _ = beat.tick() => {
                    unanswered += 1;
                    if unanswered > BEATS_WITHOUT_ANSWER {
                        self.mark(self.bridge.parts().clock.now()).await;
                    }
                    continue;
                }
            };
            match event {
                None => break,
                Some(LinkEvent::Alive(asked)) => {
                    unanswered = 0;
                    self.mark(asked).await;
                }
                Some(LinkEvent::Event(event)) => {
                    if self.take(*event).await == Next::CatchUp
                        && let Err(Interrupted(unread)) = self.catch_up().await
                    {
                        self.take_rest(&mut inbox, &unread).await;
                        return;
                    }
                }
            }
        }
        self.take_rest(&mut inbox, &HashSet::new()).await;
    }

    async fn mark(&mut self, upto: rules::Time) {
        if *self.side.state.borrow() == SideState::Ready {
            self.watermark.mark(self.bridge.parts(), upto).await;
        }
    }

    /// Takes what has come before the end, but no lines of scenes with a hole in them: those are
    /// read from history, in order, next time.
    async fn take_rest(&mut self, inbox: &mut Receiver<LinkEvent>, unread: &HashSet<Scene>) {
        while let Ok(event) = inbox.try_recv() {
            let LinkEvent::Event(event) = event else {
                continue;
            };
            if let EventKind::Message(message) = &event.kind
                && unread.contains(&scene(message.chat))
            {
                continue;
            }
            self.take(*event).await;
        }
    }

    /// Reads all that was missed. Only then may live events be taken: a scene is read from its
    /// last line on.
    async fn catch_up(&mut self) -> Result<(), Interrupted> {
        let account = self.side.account;
        self.sessions += 1;
        self.watermark.interrupt();
        self.introduce().await;
        self.commit_own("back", Input::Back).await;
        let scenes = match self.bridge.read(account, crate::Account::to_catch_up).await {
            Ok(scenes) => scenes,
            Err(error) => {
                tracing::error!(%account, %error, "cannot tell what was missed");
                Vec::new()
            }
        };
        let mut unread: HashSet<Scene> = scenes.iter().map(|(scene, _)| *scene).collect();
        for (place, after) in scenes {
            match self.read_missed(place, &after).await {
                Ok(_) => {}
                Err(HistoryError::Lost) => return Err(Interrupted(unread)),
                Err(HistoryError::Unavailable(why)) => {
                    tracing::warn!(%account, %why, "a chat's history cannot be read");
                }
            }
            unread.remove(&place);
        }
        self.read_requests()
            .await
            .map_err(|()| Interrupted(HashSet::new()))?;
        self.read_members()
            .await
            .map_err(|()| Interrupted(HashSet::new()))?;
        self.commit_own("caught-up", Input::CaughtUp).await;
        self.side.state.send_replace(SideState::Ready);
        tracing::info!(%account, "caught up with chat");
        Ok(())
    }

    /// Learns which program and which account the side has.
    async fn introduce(&self) {
        let account = self.side.account;
        if let Some(data) = self.ask(&Action::GetVersion).await {
            let version = onebot::data::version(&data);
            tracing::info!(%account, program = version.app_name, version = version.app_version, "chat side");
            self.side.is_program(&version.app_name);
        }
        if let Some(login) = self
            .ask(&Action::GetLogin)
            .await
            .and_then(|d| onebot::data::login(&d))
            && login.user != account.0
        {
            tracing::error!(%account, login = login.user, "chat side is logged in with another account");
        }
    }

    async fn ask(&self, action: &Action) -> Option<serde_json::Value> {
        match self
            .side
            .call(action, self.bridge.settings().limits.call)
            .await
        {
            Called::Answered(Outcome::Done(data)) => Some(data),
            _ => None,
        }
    }

    /// Reads what was said in a scene after a place; how much of it was new.
    async fn read_missed(&mut self, place: Scene, after: &After) -> Result<usize, HistoryError> {
        let messages = self.history.since(chat(place), after).await?;
        let highest = messages.iter().filter_map(|message| message.seq).max();
        let mut new = 0;
        for message in &messages {
            new += usize::from(self.hear(message).await);
        }
        let track = self.tracks.entry(place).or_default();
        track.last = track.last.max(highest).max(after.seq);
        self.side.spoken(place);
        Ok(new)
    }

    async fn read_requests(&self) -> Result<(), ()> {
        let limits = self.bridge.settings().limits;
        let data = match self.side.call(&Action::SystemMessages, limits.call).await {
            Called::Answered(Outcome::Done(data)) => data,
            Called::Lost | Called::NotSent => return Err(()),
            Called::Answered(_) | Called::NoAnswer => {
                tracing::warn!(account = %self.side.account, "waiting join requests cannot be read");
                return Ok(());
            }
        };
        for request in onebot::data::join_requests(&data) {
            if let Some(user) = request.user {
                let news = News::Asked {
                    user: UserId(user),
                    flag: request.flag,
                };
                self.news(request.group, news, 0).await;
            }
        }
        Ok(())
    }

    async fn read_members(&self) -> Result<(), ()> {
        let account = self.side.account;
        let groups = self
            .bridge
            .read(account, crate::Account::groups_to_list)
            .await;
        for group in groups.unwrap_or_default() {
            let call = Action::Members { group: group.0 };
            match self
                .side
                .call(&call, self.bridge.settings().limits.call)
                .await
            {
                Called::Answered(Outcome::Done(data)) => {
                    let news = members(&data, account);
                    let now = self.bridge.parts().clock.now();
                    self.news(group.0, news, now.0).await;
                }
                Called::Lost | Called::NotSent => return Err(()),
                Called::Answered(_) | Called::NoAnswer => {
                    tracing::warn!(%account, %group, "members cannot be read");
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self, event: Event) -> Next {
        let time = event.time;
        match event.kind {
            EventKind::Message(message) => self.message(&message).await,
            EventKind::Notice(notice) => self.notice(notice, time).await,
            EventKind::Request(Request::Join {
                group, user, flag, ..
            }) => {
                self.news(
                    group,
                    News::Asked {
                        user: UserId(user),
                        flag,
                    },
                    time,
                )
                .await;
            }
            EventKind::Meta(Meta::Heartbeat { online }) => return self.heartbeat(online),
            EventKind::Request(_) | EventKind::Meta(_) | EventKind::Unknown => {}
        }
        Next::GoOn
    }

    async fn message(&mut self, message: &ChatMessage) {
        let place = scene(message.chat);
        if message.own {
            // Never a command. It explains a step in the scene's sequence.
            let name = MessageRef(message.id.to_string());
            self.side
                .authors
                .note(place, &name, UserId(message.sender.user));
            if let Some(track) = self.tracks.get_mut(&place)
                && track.last.map(|last| last + 1) == message.seq
            {
                track.last = message.seq;
            }
            return;
        }
        if let Some(after) = self.hole_before(place, message).await {
            match self.read_missed(place, &after).await {
                Ok(new) => {
                    // The message itself is one of them.
                    let track = self.tracks.entry(place).or_default();
                    track.vain = if new > 1 { 0 } else { track.vain + 1 };
                }
                Err(error) => {
                    let account = self.side.account;
                    tracing::warn!(%account, ?error, "messages may be missing");
                }
            }
        }
        self.hear(message).await;
        let track = self.tracks.entry(place).or_default();
        track.last = track.last.max(message.seq);
    }

    /// Are messages missing before this one, as its sequence number tells? From where on.
    async fn hole_before(&mut self, place: Scene, message: &ChatMessage) -> Option<After> {
        let seq = message.seq?;
        let own = self.side.spoken(place);
        if !self.is_of_interest(place).await {
            return None;
        }
        let read = self
            .bridge
            .read(self.side.account, |state| state.point(place)?.seq)
            .await;
        let track = self.tracks.entry(place).or_default();
        let last = track.last.max(read.ok().flatten())?;
        let missing = seq.saturating_sub(last).saturating_sub(1);
        (missing > own && track.vain < MOST_VAIN).then(|| After {
            secs: message.time,
            seq: Some(last),
            said: Vec::new(),
        })
    }

    async fn is_of_interest(&self, place: Scene) -> bool {
        match place {
            Scene::Private(_) => true,
            Scene::Group(group) => self.use_of(group).await != GroupUse::Stranger,
        }
    }

    async fn use_of(&self, group: ChatGroup) -> GroupUse {
        let found = self
            .bridge
            .read(self.side.account, |state| state.use_of(group))
            .await;
        found.unwrap_or(GroupUse::Stranger)
    }

    /// Has a message handled; true when it was new.
    async fn hear(&self, message: &ChatMessage) -> bool {
        let place = scene(message.chat);
        let name = MessageRef(message.id.to_string());
        let user = UserId(message.sender.user);
        self.side.authors.note(place, &name, user);
        if message.own {
            return false;
        }
        let account = self.side.account;
        let received = self.bridge.parts().clock.now();
        let may_open = self
            .bridge
            .settings()
            .people(account)
            .directors
            .contains(&user);
        let heard = Heard {
            scene: place,
            id: name,
            seq: message.seq,
            secs: message.time,
            user,
            nickname: message.sender.shown().to_owned(),
            message: message.message.clone(),
            quoted: self.quoted(place, message),
            may_open,
            entropy: may_open.then(|| entropy(&message.message)).flatten(),
            received,
        };
        let id = heard_id(account, message);
        let handled = self.bridge.commit(account, id, Input::Heard(heard)).await;
        let new = handled.is_some_and(|handled| !handled.repeat);
        if new {
            let late = received.0.saturating_sub(message.time.saturating_mul(1000));
            self.bridge
                .parts()
                .metrics
                .lag_ms(protocol::Service::Ingest, late);
        }
        new
    }

    fn quoted(&self, place: Scene, message: &ChatMessage) -> Option<UserId> {
        let quote = message
            .message
            .0
            .iter()
            .find_map(|segment| match segment.piece() {
                Piece::Reply(id) => id,
                _ => None,
            })?;
        self.side.authors.of(place, &MessageRef(quote.to_string()))
    }

    async fn notice(&mut self, notice: Notice, time: i64) {
        let bot = self.side.account.0;
        match notice {
            Notice::Joined { group, user } if user == bot => {
                self.news(group, News::Standing(None), time).await;
            }
            Notice::Joined { group, user } => {
                self.news(group, News::Joined(UserId(user)), time).await;
            }
            Notice::Left {
                group,
                how: Departure::Lost,
                ..
            } => {
                tracing::warn!(account = bot, group, "the account is no longer in a group");
                self.news(group, News::Standing(Some(Refused::Removed)), time)
                    .await;
            }
            Notice::Left { group, user, .. } => {
                self.news(group, News::Left(UserId(user)), time).await;
            }
            Notice::Mute {
                group,
                user: Some(user),
                muted,
                ..
            } if user == bot => {
                let trouble = muted.then_some(Refused::Muted);
                self.news(group, News::Standing(trouble), time).await;
            }
            Notice::Recalled { chat, message } => self.recalled(scene(chat), &message).await,
            Notice::BotOffline { reason } => {
                tracing::error!(
                    account = bot,
                    reason,
                    "the platform has put the account offline"
                );
                self.side.state.send_replace(SideState::Offline);
                self.watermark.interrupt();
            }
            Notice::Mute { .. }
            | Notice::Admin { .. }
            | Notice::Friend { .. }
            | Notice::Other { .. } => {}
        }
    }

    fn heartbeat(&mut self, online: Option<bool>) -> Next {
        let offline = *self.side.state.borrow() == SideState::Offline;
        match online {
            Some(false) if !offline => {
                tracing::error!(account = %self.side.account, "chat side says that it is offline");
                self.side.state.send_replace(SideState::Offline);
                self.watermark.interrupt();
                Next::GoOn
            }
            Some(true) if offline => {
                self.side.state.send_replace(SideState::CatchingUp);
                Next::CatchUp
            }
            _ => Next::GoOn,
        }
    }

    async fn recalled(&self, place: Scene, message: &onebot::Id) {
        if !self.is_of_interest(place).await || matches!(place, Scene::Private(_)) {
            return;
        }
        let message = MessageRef(message.to_string());
        let id = recalled_id(self.side.account, place, &message);
        self.commit(
            id,
            Input::Recalled {
                scene: place,
                message,
            },
        )
        .await;
    }

    /// Hands on news of a group that is ours in some way.
    async fn news(&self, group: u64, news: News, time: i64) {
        let group = ChatGroup(group);
        let in_pool = self
            .bridge
            .settings()
            .people(self.side.account)
            .pool
            .contains(&group);
        if in_pool || self.use_of(group).await != GroupUse::Stranger {
            let id = news_id(self.side.account, group, &news, time);
            self.commit(id, Input::News { group, news }).await;
        }
    }

    async fn commit(&self, id: MessageId, input: Input) {
        self.bridge.commit(self.side.account, id, input).await;
    }

    /// Commits an input that this process makes up, under a name of its own.
    async fn commit_own(&self, what: &str, input: Input) {
        let id = format!("{what}/{}/{}", self.nonce.simple(), self.sessions);
        self.commit(MessageId(id), input).await;
    }

    fn report_health(&self) {
        let side = Arc::clone(&self.side);
        self.bridge
            .parts()
            .health
            .register(format!("chat {}", side.account), move || {
                let trouble = side.state.borrow().trouble();
                async move { trouble.map_or(Ok(()), |trouble| Err(trouble.to_owned())) }
            });
    }
}

/// 32 random bytes in hexadecimal for a line that may open a game.
fn entropy(message: &Message) -> Option<String> {
    if !message.plain_text().contains("开局") {
        return None;
    }
    let mut bytes = [0; 32];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::error!(%error, "the system has no random numbers; no game can be opened");
        return None;
    }
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The account's links, as soon as there are both.
async fn connected(links: &mut watch::Receiver<Links>) -> Option<(Link, Link)> {
    let links = links.wait_for(|links| links.both().is_some()).await;
    links.ok().and_then(|links| links.both())
}

/// Returns when these are no longer the account's links.
async fn replaced(links: &mut watch::Receiver<Links>, api: &Link, events: &Link) {
    let gone = |links: &Links| {
        !links.both().is_some_and(|(now_api, now_events)| {
            now_api.id() == api.id() && now_events.id() == events.id()
        })
    };
    // It fails only when the account's side is gone, which the listener holds.
    let _ = links.wait_for(gone).await;
}

/// Everyone in a group but the account itself.
pub(crate) fn members(data: &serde_json::Value, account: AccountId) -> News {
    let users = onebot::data::members(data);
    News::Members(
        users
            .into_iter()
            .filter(|user| *user != account.0)
            .map(UserId)
            .collect(),
    )
}
