//! A whole m158 game as a script: fourteen people and a director, who know only what their chats
//! say. The deal is random; each plays the card that it got.

use crate::people::{Person, make, make_group};
use crate::site::{Site, wait_for};

/// The playground's first director.
pub const DIRECTOR: u64 = 10_001;
/// The game's public group.
pub const SQUARE: u64 = 800_001;
/// Someone who plays in no game.
pub const STRANGER: u64 = 20_099;

/// What the fourteen are called.
pub const ALIASES: [&str; 14] = [
    "甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸", "子", "丑", "寅", "卯",
];

/// Somebody with a seat.
#[derive(Debug, Clone)]
pub struct Player {
    pub person: Person,
    pub alias: String,
    pub role: String,
    pub faction: String,
}

/// Called after everything that somebody typed, with a word for where the game stands: a test
/// may kill the site here.
pub type Between<'a> = dyn FnMut(&mut Site, &str) + 'a;

/// A table of people at a site.
pub struct Table<'a> {
    pub site: Site,
    pub director: Person,
    pub square: Person,
    pub players: Vec<Player>,
    /// How quotes arrive at the bot.
    pub quotes: Quotes,
    between: Box<Between<'a>>,
}

/// What becomes of a quote on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// It arrives.
    Kept,
    /// The platform loses it: whoever changes a vote confirms it in private.
    Lost,
}

impl<'a> Table<'a> {
    /// People and a square; nobody has opened a game yet.
    pub fn new(site: Site, between: Box<Between<'a>>) -> Self {
        let ids: Vec<u64> = (0..14).map(|i| 20_001 + i).collect();
        let people: Vec<(u64, String)> = ids
            .iter()
            .zip(ALIASES)
            .map(|(id, alias)| (*id, format!("玩家{alias}")))
            .collect();
        let mut all: Vec<(u64, &str, bool)> = people
            .iter()
            .map(|(id, name)| (*id, name.as_str(), true))
            .collect();
        all.push((STRANGER, "路人", true));
        make(&site, &all);
        let mut members = ids.clone();
        members.push(STRANGER);
        make_group(&site, SQUARE, "鸣潮广场", DIRECTOR, &members);
        let players = ids
            .into_iter()
            .zip(ALIASES)
            .map(|(id, alias)| Player {
                person: Person::new(id),
                alias: alias.to_owned(),
                role: String::new(),
                faction: String::new(),
            })
            .collect();
        Self {
            site,
            director: Person::new(DIRECTOR),
            square: Person::new(STRANGER),
            players,
            quotes: Quotes::Kept,
            between,
        }
    }

    fn passed(&mut self, point: &str) {
        (self.between)(&mut self.site, point);
    }

    /// The director types in the square.
    pub fn order(&mut self, text: &str) {
        self.director.say(&self.site, SQUARE, text);
        self.passed(text);
    }

    /// The director types in private.
    pub fn order_in_private(&mut self, text: &str) {
        self.director.whisper(&self.site, text);
        self.passed(text);
    }

    /// Everybody in the square reads this next.
    #[track_caller]
    pub fn public(&mut self, parts: &[&str]) {
        self.square.expect(&self.site, parts);
    }

    /// A player types in private.
    pub fn whisper(&mut self, player: usize, text: &str) {
        self.players[player].person.whisper(&self.site, text);
        self.passed(text);
    }

    /// A player reads this next.
    #[track_caller]
    pub fn reads(&mut self, player: usize, parts: &[&str]) {
        let site = &self.site;
        self.players[player].person.expect(site, parts);
    }

    /// A player votes in the square; the number of the post.
    pub fn vote(&mut self, player: usize, target: &str) -> i64 {
        let post = format!("投票对象：{target}\n投票理由：听发言");
        let sent = self.players[player].person.say(&self.site, SQUARE, &post);
        self.passed("投票");
        sent["message_id"].as_i64().expect("a post has a number")
    }

    /// A player changes a vote by quoting the post.
    pub fn change_vote(&mut self, player: usize, post: i64, target: &str) {
        let text = format!("改票对象：{target}\n改票理由：想明白了");
        self.players[player]
            .person
            .reply(&self.site, SQUARE, post, &text);
        self.passed("改票");
        if self.quotes == Quotes::Lost {
            self.reads(player, &["没看到它回复"]);
            self.whisper(player, "确认");
            let person = &self.players[player].person;
            person.must_have_read(&self.site, "按你发帖的时间记下了");
        }
    }

    /// The players with this role, in the order of `players`.
    pub fn with_role(&self, role: &str) -> Vec<usize> {
        self.players
            .iter()
            .enumerate()
            .filter(|(_, p)| p.role == role)
            .map(|(i, _)| i)
            .collect()
    }

    /// The one player with this role.
    pub fn the(&self, role: &str) -> usize {
        let found = self.with_role(role);
        assert_eq!(found.len(), 1, "one {role}");
        found[0]
    }

    /// The players of this faction.
    pub fn of_faction(&self, faction: &str) -> Vec<usize> {
        self.players
            .iter()
            .enumerate()
            .filter(|(_, p)| p.faction == faction)
            .map(|(i, _)| i)
            .collect()
    }

    /// A player's alias.
    pub fn alias(&self, player: usize) -> String {
        self.players[player].alias.clone()
    }

    /// 开局, sign-up, 发牌: everybody reads a card.
    pub fn deal(&mut self, opening: &str) {
        self.order(opening);
        self.public(&["鸣潮", "报名"]);
        for i in 0..self.players.len() {
            let text = format!("报名 {}", self.players[i].alias);
            // Half of them sign up in the square, half in private.
            if i % 2 == 0 {
                self.players[i].person.say(&self.site, SQUARE, &text);
            } else {
                let text = if i == 1 {
                    text.clone()
                } else {
                    format!("鸣潮1 {text}")
                };
                self.players[i].person.whisper(&self.site, &text);
            }
            self.passed("报名");
            let alias = self.alias(i);
            self.reads(i, &["报名成功", &alias]);
        }
        self.order_the_deal();
        for player in &mut self.players {
            let card = player.person.expect(&self.site, &["你的身份是【"]);
            player.role = between(&card.text, "【", "】");
            player.faction = between(&card.text, "属于", "。");
        }
    }

    /// 发牌. Whoever signed up in the square is known to be reachable once a greeting has arrived;
    /// a deal that comes sooner is refused, and the director told when it is time.
    fn order_the_deal(&mut self) {
        self.order("发牌");
        let early = wait_for("the deal or its refusal", || {
            let refused = self.director.has_read(&self.site, "还不能发牌");
            (refused || self.square.has_read(&self.site, "发牌了")).then_some(refused)
        });
        if early {
            self.director.expect(&self.site, &["都能私聊到了"]);
            self.order("发牌");
        }
    }

    /// Wolves and coven join the groups whose numbers they were told; a stranger who asks is
    /// turned away.
    pub fn join_groups(&mut self) -> Vec<(String, u64)> {
        let mut groups: Vec<(String, u64)> = Vec::new();
        for (faction, room) in [("狼人阵营", "狼群"), ("魔女会阵营", "魔女会")] {
            let members = self.of_faction(faction);
            let mut number = 0;
            for i in &members {
                let told = self.players[*i].person.expect(&self.site, &["群号", room]);
                number = between(&told.text, "群号是 ", "。")
                    .trim()
                    .parse()
                    .expect("a number");
            }
            Person::new(STRANGER).join(&self.site, number);
            self.passed("路人申请");
            for i in &members {
                self.players[*i].person.join(&self.site, number);
                self.passed("申请进群");
            }
            let wanted: Vec<u64> = members.iter().map(|i| self.players[*i].person.id).collect();
            wait_for("the members to be let in", || {
                let inside = member_cards(&self.site, number)?;
                wanted
                    .iter()
                    .all(|id| {
                        inside
                            .iter()
                            .any(|(u, card)| u == id && card.contains("号"))
                    })
                    .then_some(())
            });
            wait_for("the stranger to be turned away", || {
                is_refused(&self.site, STRANGER, number).then_some(())
            });
            groups.push((room.to_owned(), number));
        }
        groups
    }
}

/// Has this person been refused in this group? No while the site is down.
pub fn is_refused(site: &Site, user: u64, group: u64) -> bool {
    let shown = site.try_get(&format!("/playground/api/users/{user}"));
    let asked = shown.and_then(|(_, shown)| shown["requests"].as_array().cloned());
    asked.is_some_and(|asked| {
        asked
            .iter()
            .any(|r| r["group"].as_u64() == Some(group) && r["state"] == "refused")
    })
}

/// The people in a group with their cards; `None` while the site is down.
pub fn member_cards(site: &Site, group: u64) -> Option<Vec<(u64, String)>> {
    let (status, shown) = site.try_get(&format!("/playground/api/groups/{group}"))?;
    if status != 200 {
        return None;
    }
    let members = shown["members"].as_array()?;
    Some(
        members
            .iter()
            .map(|m| {
                let id = m["id"]
                    .as_u64()
                    .or(m["user_id"].as_u64())
                    .unwrap_or_default();
                (id, m["card"].as_str().unwrap_or_default().to_owned())
            })
            .collect(),
    )
}

/// The text between two marks.
#[track_caller]
pub fn between(text: &str, from: &str, to: &str) -> String {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("no {from:?} in {text:?}"));
    rest.split(to).next().unwrap_or(rest).to_owned()
}

/// How often the bot said something that contains this, in what a person sees.
pub fn said(person: &Person, site: &Site, bot: u64, part: &str) -> usize {
    person
        .chats(site)
        .iter()
        .filter(|h| h.from == bot && h.text.contains(part))
        .count()
}
