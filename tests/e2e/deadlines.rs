//! Deadlines that pass while the process is down: they are kept, what was sent in time counts,
//! what was sent later does not, and everything happens once.

use cluster::{Chat, Plan, Service};
use serde_json::Value;

use crate::cluster_site::ClusterSite;
use crate::game::{ALIASES, DIRECTOR, SQUARE, Table, between, said};
use crate::people::bot;
use crate::side::{At, Ear, Platform, TOKEN, now_ms};
use crate::site::{Site, wait_for};

/// How much faster than real the quick calendar runs.
const SPEED: i64 = 40;
/// The length of the windows 入夜 and 竞选, as the quick calendar has them.
const WINDOW_MS: i64 = 3 * 60_000 / SPEED;
/// Chat tells time in seconds: this much later is later.
const MARGIN_MS: i64 = 1_500;

/// Somebody in a seat on the test's own chat side.
struct Seat {
    user: u64,
    alias: &'static str,
    role: String,
    ear: Ear,
}

/// How the bot is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Away {
    /// The product is killed; of a cluster all services at once.
    Killed,
    /// The account is cut off from the product, which goes on.
    Offline,
}

/// A game on the test's own chat side.
struct Hosted {
    site: Site,
    away: Away,
    platform: Platform,
    square: Ear,
    seats: Vec<Seat>,
}

impl Hosted {
    fn settings() -> Vec<String> {
        vec![
            format!("clock.speed={SPEED}"),
            format!("directors.users={DIRECTOR}"),
            "groups.pool=700001,700002".to_owned(),
            "onebot.messages_per_minute=60000".to_owned(),
        ]
    }

    fn embedded() -> Site {
        let settings = Self::settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        Site::start_with(&settings, &[("DUSKGATE_ONEBOT_ACCESS_TOKEN", TOKEN)])
    }

    fn cluster() -> Site {
        let token = ("DUSKGATE_ONEBOT_ACCESS_TOKEN".to_owned(), TOKEN.to_owned());
        Site::on(ClusterSite::start(Plan {
            settings: Self::settings(),
            variables: vec![token],
            chat: Chat::Real,
            ..ClusterSite::plan(&[])
        }))
    }

    fn deal(site: Site, away: Away) -> Self {
        let seats: Vec<Seat> = (0..)
            .zip(ALIASES)
            .map(|(nth, alias)| Seat {
                user: 30_001 + nth,
                alias,
                role: String::new(),
                ear: Ear::new(At::Private(30_001 + nth)),
            })
            .collect();
        let mut friends: Vec<u64> = seats.iter().map(|seat| seat.user).collect();
        friends.push(DIRECTOR);
        let platform = Platform::new(&friends, &[SQUARE, 700_001, 700_002]);
        platform.connect(&site);
        let mut game = Self {
            site,
            away,
            platform,
            square: Ear::new(At::Group(SQUARE)),
            seats,
        };
        game.order("开局 m158 日历=quick");
        game.public(&["报名"]);
        for nth in 0..game.seats.len() {
            game.whisper(nth, &format!("报名 {}", game.seats[nth].alias));
            game.reads(nth, &["报名成功"]);
        }
        game.order("发牌");
        for seat in &mut game.seats {
            let card = seat.ear.expect(&game.platform, &["你的身份是"]);
            seat.role = between(&card, "【", "】");
        }
        game
    }

    fn order(&self, text: &str) {
        self.platform.say(At::Group(SQUARE), DIRECTOR, text);
    }

    fn whisper(&self, nth: usize, text: &str) {
        let user = self.seats[nth].user;
        self.platform.say(At::Private(user), user, text);
    }

    fn post(&self, nth: usize, text: &str) -> Value {
        self.platform
            .say(At::Group(SQUARE), self.seats[nth].user, text)
    }

    #[track_caller]
    fn reads(&mut self, nth: usize, parts: &[&str]) -> String {
        self.seats[nth].ear.expect(&self.platform, parts)
    }

    #[track_caller]
    fn public(&mut self, parts: &[&str]) -> String {
        self.square.expect(&self.platform, parts)
    }

    fn the(&self, role: &str) -> usize {
        let found = self.seats.iter().position(|seat| seat.role == role);
        found.unwrap_or_else(|| panic!("somebody is {role}"))
    }

    fn alias(&self, nth: usize) -> &'static str {
        self.seats[nth].alias
    }

    /// The bot goes away, things happen in chat before the window that has just opened ends and
    /// others after that, and the bot comes back.
    fn away(&mut self, before: impl FnOnce(&Self), after: impl FnOnce(&Self)) {
        let ends = now_ms() + WINDOW_MS;
        match self.away {
            Away::Killed => self.site.kill(),
            Away::Offline => self.platform.disconnect(),
        }
        before(self);
        assert!(now_ms() + MARGIN_MS < ends, "the test was too slow");
        wait_for("the window to end", || {
            (now_ms() > ends + MARGIN_MS).then_some(())
        });
        after(self);
        if self.away == Away::Killed {
            self.site.restart();
        }
        self.platform.connect(&self.site);
    }
}

#[test]
fn what_was_sent_in_time_while_the_process_was_down_counts_and_nothing_later() {
    absence_over_deadlines(Hosted::embedded(), Away::Killed);
}

#[test]
fn the_same_while_all_processes_of_a_cluster_were_down() {
    absence_over_deadlines(Hosted::cluster(), Away::Killed);
}

#[test]
fn the_same_while_the_account_was_offline_over_door_close() {
    absence_over_deadlines(Hosted::cluster(), Away::Offline);
}

fn absence_over_deadlines(site: Site, away: Away) {
    let mut game = Hosted::deal(site, away);
    let (seer, wolf, demon, king) = (
        game.the("预言家"),
        game.the("狼人"),
        game.the("恶魔"),
        game.the("黑狼王"),
    );
    let (knight, witch) = (game.the("荣光骑士"), game.the("女巫"));
    let (in_time, too_late) = (game.the("村民"), game.the("守墓人"));
    game.order("开始");
    game.public(&["开局了"]);
    game.order("下一步");

    // The first window of the night ends while nobody is there.
    game.public(&["第1夜 · 入夜"]);
    let (first, second) = (game.alias(in_time), game.alias(too_late));
    game.away(
        |game| {
            game.whisper(seer, &format!("预言 {}", game.alias(king)));
            game.whisper(wolf, &format!("杀人 {first}"));
        },
        |game| {
            game.whisper(demon, &format!("杀人 {second}"));
            game.whisper(knight, &format!("荣光庇护 {first}"));
        },
    );
    game.reads(seer, &["收到", "预言"]);
    game.reads(demon, &["时间已到"]);
    game.reads(knight, &["时间已到"]);
    game.reads(seer, &["预言", game.alias(king), "狼人阵营"]);
    let told = game.reads(witch, &["今晚被指杀的是"]);
    assert!(
        told.contains(first) && !told.contains(second),
        "who was struck: {told}"
    );

    // So does the election.
    game.public(&["警长竞选"]);
    let last = game.seats.len() - 1;
    let target = game.alias(seer);
    game.away(
        |game| {
            let vote = |nth, target| game.post(nth, &format!("投票对象：{target}\n投票理由：无"));
            for nth in 1..last {
                vote(nth, target);
            }
            let post = vote(0, game.alias(last));
            let change = format!("改票对象：{target}\n改票理由：无");
            game.platform
                .reply(At::Group(SQUARE), game.seats[0].user, &post, &change);
        },
        |game| {
            game.post(last, &format!("投票对象：{target}\n投票理由：无"));
        },
    );
    let result = game.public(&["警长竞选结果"]);
    let votes = format!("{target}：{last}票");
    assert!(result.contains(&votes), "{votes} in {result}");
    let line = format!("{} → {target}", game.alias(last));
    assert!(
        !result.contains(&line),
        "a vote that came too late: {result}"
    );
    assert!(result.contains(&format!("{target}当选警长")), "{result}");
    game.public(&["第1天公示", first, target]);
    game.public(&["第1天开门"]);

    let square = At::Group(SQUARE);
    for once in [
        "第1夜 · 入夜",
        "第1夜过去了",
        "警长竞选：",
        "警长竞选结果",
        "第1天公示",
        "第1天开门",
        "投票已经截止",
        "改投",
    ] {
        assert_eq!(game.platform.count(square, once), 1, "{once} once");
    }
    let private = |nth: usize| At::Private(game.seats[nth].user);
    for (nth, once) in [
        (seer, "狼人阵营"),
        (seer, "收到：预言"),
        (witch, "今晚被指杀的是"),
        (demon, "时间已到"),
        (in_time, "你出局了"),
    ] {
        assert_eq!(game.platform.count(private(nth), once), 1, "{once} once");
    }
    game.platform.assert_well_behaved();
    game.site.assert_well();
}

/// The same with the stand-in for QQ, which is down as well.
#[test]
fn a_deadline_that_passes_while_all_is_down_is_kept_once() {
    let site = Site::start(&["clock.speed=60"]);
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.deal("开局 m158 日历=quick");
    table.order("开始");
    table.public(&["开局了"]);
    let opening_ends = now_ms() + 2 * 60_000 / 60;
    table.site.kill();
    wait_for("the opening to end", || {
        (now_ms() > opening_ends).then_some(())
    });
    table.site.restart();
    table.public(&["第1夜 · 入夜"]);
    // Whoever did not choose in time is told what the dice chose.
    let shaman = table.the("图腾萨满");
    table.reads(shaman, &["骰子替你选了"]);
    table.public(&["第1夜 · 狼王"]);
    let bot = bot(&table.site, DIRECTOR);
    for once in ["开局了", "第1夜 · 入夜", "第1夜 · 狼王"] {
        assert_eq!(said(&table.square, &table.site, bot, once), 1, "{once}");
    }
    table.site.assert_well();
}

/// Of a cluster only clock is down.
#[test]
fn a_deadline_that_passes_while_clock_is_down_is_kept_once_when_it_is_back() {
    let settings = ["clock.speed=60"];
    let plan = Plan {
        instances: 2,
        ..ClusterSite::plan(&settings)
    };
    let mut table = Table::new(Site::on(ClusterSite::start(plan)), Box::new(|_, _| {}));
    table.deal("开局 m158 日历=quick");
    table.order("开始");
    table.public(&["开局了"]);
    let opening_ends = now_ms() + 2 * 60_000 / 60;
    for clock in table.site.cluster().parts().of(Service::Clock) {
        clock.kill().expect("clock can be killed");
    }
    wait_for("the opening to end", || {
        (now_ms() > opening_ends + MARGIN_MS).then_some(())
    });
    let bot = bot(&table.site, DIRECTOR);
    assert_eq!(said(&table.square, &table.site, bot, "第1夜"), 0);
    for clock in table.site.cluster().parts().of(Service::Clock) {
        clock.start().expect("clock can be started");
    }
    table.public(&["第1夜 · 入夜"]);
    // From here on one of the two is killed again and again.
    for window in ["第1夜 · 狼王", "第1夜 · 女巫", "第1夜过去了"] {
        table.site.cluster().bounce(Service::Clock, 0);
        table.public(&[window]);
    }
    for once in ["开局了", "第1夜 · 入夜", "第1夜 · 狼王", "第1夜过去了"] {
        assert_eq!(said(&table.square, &table.site, bot, once), 1, "{once}");
    }
    table.site.assert_well();
}
