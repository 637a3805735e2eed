//! Two games, their pool and a platform that lies: whatever happens in whatever order, secrets
//! stay with those who may read them, and in the end exactly the members are inside.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kit::Aggregate;
use proptest::prelude::*;
use protocol::{
    Audience, ChatGroup, GameId, PlatformAct, PoolIn, Refused, Roster, RosterState, Scene,
    SendOutcome, Service, ToIngest, ToPublish, UserId,
};
use rules::SeatId;

use crate::testing::{ACCOUNT, done, plan, refused, roster, say, text, unknown};
use crate::{Desk, Pools, Settings};

const ROOMS: [&str; 2] = ["狼群", "魔女会"];
const GROUPS: [u64; 3] = [701, 702, 703];
const GAMES: [GameId; 2] = [game(1), game(2)];

const fn game(number: u32) -> GameId {
    GameId {
        account: ACCOUNT,
        number,
    }
}

/// Something that happens. Numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Op {
    /// Somebody asks to join.
    Request {
        user: u8,
        group: u8,
    },
    /// Somebody gets in without the bot: a human administrator let him.
    BreakIn {
        user: u8,
        group: u8,
    },
    Leave {
        user: u8,
        group: u8,
    },
    /// News that somebody left, who did not.
    FalseLeft {
        user: u8,
        group: u8,
    },
    /// A seat passes to somebody else.
    Substitute {
        game: u8,
        seat: u8,
        user: u8,
    },
    /// The game wants its rooms with other members.
    Plan {
        game: u8,
        members: [u8; 2],
        both: bool,
    },
    Say {
        game: u8,
        room: u8,
    },
    /// A desk takes its next messages; the bridge does its next things, so or so.
    Desks(u8),
    Bridge(u8, Fault),
    /// The last news of a group come again.
    Again,
    Over {
        game: u8,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    DoneWithoutEffect,
    Refused,
    UnclearWithEffect,
    Unclear,
}

struct World {
    settings: Settings,
    desks: BTreeMap<String, Desk>,
    inbox: VecDeque<(String, ToPublish)>,
    bridge: VecDeque<(ToIngest, String)>,
    rosters: BTreeMap<GameId, Roster>,
    plans: BTreeMap<GameId, BTreeMap<&'static str, BTreeSet<SeatId>>>,
    inside: BTreeMap<ChatGroup, BTreeSet<UserId>>,
    /// Requests that the platform knows.
    requests: BTreeMap<String, (ChatGroup, UserId)>,
    /// Who has which group, as the messages between the desks say.
    holders: BTreeMap<ChatGroup, (GameId, String)>,
    newest_lease: u64,
    /// Who is inside and was reported to the desk that has the group.
    reported: BTreeSet<(ChatGroup, UserId)>,
    /// All that directors read.
    told: String,
    last_news: Option<(ChatGroup, ToPublish)>,
    count: u64,
}

impl World {
    fn new() -> Self {
        let settings = Settings {
            texts: texts::Texts::builtin(),
            pools: Pools {
                of_account: BTreeMap::from([(ACCOUNT, GROUPS.map(ChatGroup).to_vec())]),
                otherwise: Vec::new(),
            },
        };
        let mut world = Self {
            settings,
            desks: BTreeMap::new(),
            inbox: VecDeque::new(),
            bridge: VecDeque::new(),
            rosters: BTreeMap::new(),
            plans: BTreeMap::new(),
            inside: GROUPS
                .map(|group| (ChatGroup(group), BTreeSet::new()))
                .into(),
            requests: BTreeMap::new(),
            holders: BTreeMap::new(),
            newest_lease: 0,
            reported: BTreeSet::new(),
            told: String::new(),
            last_news: None,
            count: 0,
        };
        for (nth, game) in (1..).zip(GAMES) {
            let mut roster = roster(1);
            roster.game = game;
            roster.directors = vec![UserId(10_000 + nth)];
            for seat in &mut roster.seats {
                seat.user.0 += 10 * nth;
            }
            world.rosters.insert(game, roster);
            world.tell_roster(game);
            world.plan(game, [0, 3], true);
        }
        // Everybody is where they belong.
        world.settle();
        world.everybody_applies();
        world.settle();
        world
    }

    fn tell_roster(&mut self, game: GameId) {
        let roster = self.rosters[&game].clone();
        self.inbox
            .push_back((game.to_string(), ToPublish::Roster(roster)));
    }

    fn plan(&mut self, game: GameId, members: [u8; 2], both: bool) {
        let members = members.map(|m| m % 4);
        let mut plans = vec![plan(ROOMS[0], &members)];
        if both {
            plans.push(plan(ROOMS[1], &members[1..]));
        }
        self.plans.insert(
            game,
            plans
                .iter()
                .zip(ROOMS)
                .map(|(p, name)| (name, p.members.iter().copied().collect()))
                .collect(),
        );
        self.inbox
            .push_back((game.to_string(), ToPublish::Groups(plans)));
    }

    fn happen(&mut self, op: &Op) {
        let user = |n: u8| UserId(10 * u64::from(n % 2 + 1) + 1 + u64::from(n / 2 % 7));
        let group = |n: u8| ChatGroup(GROUPS[usize::from(n) % GROUPS.len()]);
        let game = |n: u8| GAMES[usize::from(n) % 2];
        match *op {
            Op::Request { user: u, group: g } => self.request(user(u), group(g)),
            Op::BreakIn { user: u, group: g } => self.comes(user(u), group(g)),
            Op::Leave { user: u, group: g } => self.goes(user(u), group(g)),
            Op::FalseLeft { user: u, group: g } => {
                let (group, user) = (group(g), user(u));
                self.news(group, ToPublish::Left { group, user });
            }
            Op::Substitute {
                game: g,
                seat,
                user: u,
            } => {
                if let Some(roster) = self.rosters.get_mut(&game(g))
                    && roster.seats.iter().all(|seat| seat.user != user(u))
                {
                    roster.seats[usize::from(seat % 4)].user = user(u);
                    roster.version += 1;
                    self.tell_roster(game(g));
                }
            }
            Op::Plan {
                game: g,
                members,
                both,
            } => {
                if self.rosters[&game(g)].state == RosterState::Running {
                    self.plan(game(g), members, both);
                }
            }
            Op::Say { game: g, room } => {
                self.count += 1;
                let name = ROOMS[usize::from(room) % 2].to_owned();
                let key = format!("{}/secret/{}", game(g), self.count);
                let saying = say(&key, Audience::Group(name), "机密");
                self.inbox
                    .push_back((game(g).to_string(), ToPublish::Say(saying)));
            }
            Op::Desks(n) => (0..n % 8).for_each(|_| self.desk_step()),
            Op::Bridge(n, fault) => (0..n % 8).for_each(|_| self.bridge_step(fault)),
            Op::Again => {
                if let Some((group, news)) = self.last_news.clone() {
                    self.news(group, news);
                }
            }
            Op::Over { game: g } => {
                if let Some(roster) = self.rosters.get_mut(&game(g)) {
                    roster.state = RosterState::Over;
                    roster.version += 1;
                    self.plans.remove(&game(g));
                    self.tell_roster(game(g));
                }
            }
        }
    }

    fn request(&mut self, user: UserId, group: ChatGroup) {
        if self.inside[&group].contains(&user) {
            return;
        }
        self.count += 1;
        let flag = format!("flag{}", self.count);
        self.requests.insert(flag.clone(), (group, user));
        self.news(group, ToPublish::JoinRequest { group, user, flag });
    }

    fn comes(&mut self, user: UserId, group: ChatGroup) {
        if self.inside.entry(group).or_default().insert(user) {
            self.reported.remove(&(group, user));
            self.news(group, ToPublish::Joined { group, user });
        }
    }

    fn goes(&mut self, user: UserId, group: ChatGroup) {
        if self.inside.entry(group).or_default().remove(&user) {
            self.reported.remove(&(group, user));
            self.news(group, ToPublish::Left { group, user });
        }
    }

    fn news(&mut self, group: ChatGroup, news: ToPublish) {
        self.last_news = Some((group, news.clone()));
        let news = PoolIn::News {
            group,
            news: Box::new(news),
        };
        self.inbox
            .push_back((format!("pool:{ACCOUNT}"), ToPublish::Pool(news)));
    }

    fn desk_step(&mut self) {
        let Some((key, input)) = self.inbox.pop_front() else {
            return;
        };
        self.watch(&key, &input);
        let desk = self
            .desks
            .remove(&key)
            .unwrap_or_else(|| Desk::new(&self.settings, &key));
        let mut desk = Desk::load(&self.settings, &key, &desk.save()).unwrap();
        let effects = desk.handle(&self.settings, &input);
        self.desks.insert(key.clone(), desk);
        for out in effects.out {
            match out.service {
                Service::Publish => {
                    let body = serde_json::from_str(&out.body).unwrap();
                    self.inbox.push_back((out.key, body));
                }
                Service::Ingest => {
                    let body: ToIngest = serde_json::from_str(&out.body).unwrap();
                    self.check(&key, &body);
                    self.bridge.push_back((body, key.clone()));
                }
                Service::Night => {}
                other => panic!("nothing goes to {other}"),
            }
        }
    }

    /// Keeps track of who has which group and who has heard of whom.
    fn watch(&mut self, key: &str, input: &ToPublish) {
        match input {
            // The pool may repeat an answer; by then the group may be somebody else's.
            ToPublish::GroupGiven { lease, .. } if *lease <= self.newest_lease => {}
            ToPublish::GroupGiven {
                name,
                group: Some(group),
                lease,
            } => {
                self.newest_lease = *lease;
                let holder = (key.parse().unwrap(), name.clone());
                let before = self.holders.insert(*group, holder);
                assert!(before.is_none(), "{group} was given twice");
                self.reported.retain(|(g, _)| g != group);
            }
            ToPublish::Pool(PoolIn::Give { game, group }) => {
                let group = *group;
                self.holders
                    .retain(|held, (holder, _)| *held != group || holder != game);
            }
            ToPublish::Joined { group, user } if self.inside[group].contains(user) => {
                self.reported.insert((*group, *user));
            }
            ToPublish::Members { group, users } => {
                let there = users
                    .iter()
                    .filter(|user| self.inside[group].contains(user));
                self.reported.extend(there.map(|user| (*group, *user)));
            }
            _ => {}
        }
    }

    /// No secret goes where somebody who may not read it is known to be.
    fn check(&self, key: &str, body: &ToIngest) {
        let ToIngest::Send { send, .. } = body else {
            return;
        };
        let (Scene::Group(group), true) = (send.scene, text(send).contains("机密")) else {
            return;
        };
        let (game, room) = self
            .holders
            .get(&group)
            .expect("only groups that are held are used");
        assert_eq!(game.to_string(), key, "another game's group");
        let roster = self.roster_of_desk(key);
        let members = self.members_at_desk(key, room);
        for user in &self.inside[&group] {
            let may_read = roster.directors.contains(user)
                || roster
                    .seats
                    .iter()
                    .any(|s| s.user == *user && members.contains(&s.seat));
            assert!(
                may_read || !self.reported.contains(&(group, *user)),
                "{user} is known to be in {group} and reads a secret of {room}"
            );
        }
    }

    /// What the desk knows, which may lag behind.
    fn roster_of_desk(&self, key: &str) -> Roster {
        self.known(key)["Game"]["roster"]
            .clone()
            .pipe(serde_json::from_value)
            .unwrap()
    }

    fn members_at_desk(&self, key: &str, room: &str) -> BTreeSet<SeatId> {
        self.known(key)["Game"]["rooms"][room]["members"]
            .clone()
            .pipe(serde_json::from_value)
            .unwrap()
    }

    fn known(&self, key: &str) -> serde_json::Value {
        serde_json::from_slice(&self.desks[key].save()).unwrap()
    }

    fn bridge_step(&mut self, fault: Fault) {
        let Some((body, from)) = self.bridge.pop_front() else {
            return;
        };
        match body {
            ToIngest::Send { send, answer } => {
                if matches!(send.scene, Scene::Private(UserId(10_001 | 10_002))) {
                    self.told.push_str(&text(&send));
                }
                let outcome = match fault {
                    Fault::None | Fault::DoneWithoutEffect => done(),
                    Fault::Refused => refused(Refused::NotReachable),
                    Fault::UnclearWithEffect | Fault::Unclear => unknown(),
                };
                self.inbox.push_back((
                    answer,
                    ToPublish::Sent {
                        key: send.key,
                        outcome,
                    },
                ));
            }
            ToIngest::Act { key, act, answer } => {
                assert_eq!(answer, from);
                let outcome = self.act(&act, fault);
                self.inbox
                    .push_back((answer, ToPublish::ActDone { key, act, outcome }));
            }
            ToIngest::Directory(directory) => {
                let groups: BTreeSet<_> = directory.groups.iter().map(|g| g.group).collect();
                assert_eq!(groups.len(), directory.groups.len());
            }
            ToIngest::Roster(_) => panic!("rosters are night's"),
        }
    }

    fn act(&mut self, act: &PlatformAct, fault: Fault) -> SendOutcome {
        let outcome = match fault {
            Fault::None | Fault::DoneWithoutEffect => done(),
            Fault::Refused => refused(Refused::NoRight),
            Fault::UnclearWithEffect | Fault::Unclear => unknown(),
        };
        let effect = matches!(fault, Fault::None | Fault::UnclearWithEffect);
        match act {
            PlatformAct::Answer { flag, approve, .. } => {
                let Some((group, user)) = self.requests.get(flag).copied() else {
                    return refused(Refused::StaleRequest);
                };
                if effect {
                    self.requests.remove(flag);
                    if *approve {
                        self.comes(user, group);
                    }
                }
            }
            PlatformAct::Kick { group, user } => {
                if !self.inside[group].contains(user) {
                    return refused(Refused::Other);
                }
                if effect {
                    self.goes(*user, *group);
                }
            }
            PlatformAct::ListMembers { group } if outcome == done() => self.list(*group),
            PlatformAct::ListMembers { .. } => return unknown(),
            PlatformAct::Rename { .. } | PlatformAct::Card { .. } | PlatformAct::Mute { .. } => {}
        }
        outcome
    }

    fn list(&mut self, group: ChatGroup) {
        let users = self.inside[&group].iter().copied().collect();
        self.news(group, ToPublish::Members { group, users });
    }

    fn settle(&mut self) {
        for step in 0.. {
            assert!(step < 20_000, "it never comes to rest");
            self.desk_step();
            self.bridge_step(Fault::None);
            if self.inbox.is_empty() && self.bridge.is_empty() {
                return;
            }
        }
    }

    /// Who should be in a group now.
    fn entitled(&self, group: ChatGroup) -> BTreeSet<UserId> {
        let Some((game, room)) = self.holders.get(&group) else {
            return BTreeSet::new();
        };
        let members = self
            .plans
            .get(game)
            .and_then(|plans| plans.get(room.as_str()));
        let seats = self.rosters[game].seats.iter();
        seats
            .filter(|s| members.is_some_and(|m| m.contains(&s.seat)))
            .map(|s| s.user)
            .collect()
    }

    /// The platform is honest from now on, is read again as after a reconnection, whoever is
    /// entitled applies, and the directors do what they were asked to.
    fn come_to_rest(&mut self) {
        self.settle();
        for _ in 0..4 {
            GROUPS
                .map(ChatGroup)
                .into_iter()
                .for_each(|group| self.list(group));
            self.settle();
            self.everybody_applies();
            self.settle();
            for (group, _) in self.holders.clone() {
                let strangers: Vec<_> = self.inside[&group]
                    .difference(&self.entitled(group))
                    .copied()
                    .collect();
                for user in strangers {
                    assert!(
                        self.told.contains("不该在的人"),
                        "nobody knows of {user} in {group}"
                    );
                    self.goes(user, group);
                }
            }
            self.settle();
        }
    }

    fn everybody_applies(&mut self) {
        for group in GROUPS.map(ChatGroup) {
            let entitled = self.entitled(group);
            for user in &entitled - &self.inside[&group] {
                self.request(user, group);
            }
        }
    }

    fn assert_exact(&self) {
        for (group, (game, room)) in &self.holders {
            assert_eq!(
                self.inside[group],
                self.entitled(*group),
                "{game} {room} in {group}"
            );
            assert!(
                self.plans.contains_key(game),
                "{group} was not given back by {game}"
            );
        }
    }
}

trait Pipe: Sized {
    fn pipe<T>(self, f: impl FnOnce(Self) -> T) -> T {
        f(self)
    }
}

impl Pipe for serde_json::Value {}

fn op() -> impl Strategy<Value = Op> {
    let n = any::<u8>;
    let fault = prop_oneof![
        4 => Just(Fault::None),
        1 => Just(Fault::DoneWithoutEffect),
        1 => Just(Fault::Refused),
        1 => Just(Fault::UnclearWithEffect),
        1 => Just(Fault::Unclear),
    ];
    prop_oneof![
        4 => (n(), n()).prop_map(|(user, group)| Op::Request { user, group }),
        2 => (n(), n()).prop_map(|(user, group)| Op::BreakIn { user, group }),
        2 => (n(), n()).prop_map(|(user, group)| Op::Leave { user, group }),
        1 => (n(), n()).prop_map(|(user, group)| Op::FalseLeft { user, group }),
        2 => (n(), n(), n()).prop_map(|(game, seat, user)| Op::Substitute { game, seat, user }),
        1 => (n(), [n(), n()], any::<bool>())
            .prop_map(|(game, members, both)| Op::Plan { game, members, both }),
        6 => (n(), n()).prop_map(|(game, room)| Op::Say { game, room }),
        8 => n().prop_map(Op::Desks),
        8 => (n(), fault).prop_map(|(n, fault)| Op::Bridge(n, fault)),
        1 => Just(Op::Again),
        1 => n().prop_map(|game| Op::Over { game }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_members_end_up_inside_and_no_stranger_reads_a_secret(
        ops in prop::collection::vec(op(), 1..80),
    ) {
        let mut world = World::new();
        for op in &ops {
            world.happen(op);
        }
        world.come_to_rest();
        world.assert_exact();
    }
}
