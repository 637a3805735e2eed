use super::*;
use crate::world::Pace;

const ME: UserId = UserId(11);
const BOT: UserId = UserId(1);
const SQUARE: ChatGroup = ChatGroup(600);
const DEN: ChatGroup = ChatGroup(700_001);

/// A player and its chats.
struct Chats {
    player: Player,
    seq: u64,
}

impl Chats {
    fn new(alias: &str) -> Self {
        let seat = Seat {
            user: ME,
            alias: alias.to_owned(),
            square: SQUARE,
            bot: BOT,
        };
        let tempo = Tempo::new(Pace::Rush, 1.0);
        Self {
            player: Player::new(seat, Part::Plays, 5, tempo),
            seq: 0,
        }
    }

    fn line(&mut self, from: UserId, group: Option<ChatGroup>, text: &str) -> u64 {
        self.seq += 1;
        let line = Line {
            seq: self.seq,
            scene: if group.is_some() { "group" } else { "private" },
            peer: group.map_or(BOT.0, |group| group.0),
            from,
            name: String::new(),
            own: from == ME,
            text: text.to_owned(),
            reply_to: None,
            mentions: Vec::new(),
            time: 0,
            time_ms: i64::try_from(self.seq).unwrap() * 1_000,
            message_id: 0,
            real_seq: self.seq,
            recalled: false,
            reactions: Vec::new(),
        };
        self.player.hear(&line);
        self.seq
    }

    fn announce(&mut self, text: &str) {
        self.line(BOT, Some(SQUARE), text);
    }

    fn tell(&mut self, text: &str) {
        self.line(BOT, None, text);
    }

    fn dealt(alias: &str) -> Self {
        let mut chats = Self::new(alias);
        chats.announce("🃏发牌了。座次：\n1号 甲\n2号 乙\n3号 丙\n4号 丁");
        chats
    }

    /// What the player wants to type, with where.
    fn wants(&self) -> Vec<(Scene, String)> {
        let mut wishes = self.player.wishes();
        wishes.sort_by_key(|wish| wish.due_ms);
        let says = wishes.into_iter().filter_map(|wish| match wish.deed {
            Deed::Say { scene, text, .. } => Some((scene, text)),
            Deed::Join { .. } => None,
        });
        says.collect()
    }

    /// Types whatever the player wants, as long as it wants something.
    fn indulge(&mut self) -> Vec<String> {
        let mut typed = Vec::new();
        while let Some((scene, text)) = self.wants().into_iter().next() {
            let group = match scene {
                Scene::Group(group) => Some(group),
                Scene::Private(_) => None,
            };
            self.line(ME, group, &text);
            typed.push(text);
            assert!(typed.len() < 50, "{typed:?}");
        }
        typed
    }
}

#[test]
fn signs_up_once() {
    let mut chats = Chats::new("甲");
    assert!(chats.wants().is_empty());
    chats.announce("🎬 开局【鸣潮1】");
    assert_eq!(chats.indulge(), ["报名 甲"]);
    assert!(chats.wants().is_empty());
}

#[test]
fn talks_and_votes_on_a_day_and_not_before_the_deal_or_after_the_door() {
    let mut early = Chats::new("甲");
    early.announce("☀️ 第1天开门");
    assert!(early.wants().is_empty());
    let mut chats = Chats::dealt("甲");
    chats.announce("☀️ 第1天开门");
    let typed = chats.indulge();
    assert!((5..=6).contains(&typed.len()), "{typed:?}");
    assert_eq!(
        typed
            .iter()
            .filter(|text| text.starts_with("投票对象："))
            .count(),
        1
    );
    chats.announce("☀️ 第2天开门");
    assert!(!chats.wants().is_empty());
    chats.announce("🌇 第2天关门。");
    assert!(chats.wants().is_empty());
}

#[test]
fn says_nothing_that_was_just_said() {
    let mut chats = Chats::dealt("甲");
    chats.announce("⭐ 警长竞选：请按格式投票");
    let (_, first) = chats.wants().remove(0);
    chats.line(UserId(12), Some(SQUARE), &first);
    assert_ne!(chats.wants().remove(0).1, first);
}

#[test]
fn who_is_out_is_quiet_and_is_not_named() {
    let mut chats = Chats::dealt("甲");
    chats.announce("📋 第2天公示\n昨晚出局：乙、丙\n☀️ 第2天开门");
    assert!(
        chats
            .indulge()
            .iter()
            .all(|text| !text.contains('乙') && !text.contains('丙'))
    );
    chats.announce("📋 出局公示\n投票出局：甲");
    chats.announce("☀️ 第3天开门");
    assert!(chats.wants().is_empty());
    let mut told = Chats::dealt("甲");
    told.tell("你出局了。\n你可以留遗言：发“遗言 ……”");
    told.announce("☀️ 第2天开门");
    let typed = told.indulge();
    assert!(
        typed.len() == 1 && typed[0].starts_with("遗言 "),
        "{typed:?}"
    );
}

#[test]
fn asks_when_prompted_and_uses_each_skill_once() {
    let mut chats = Chats::dealt("甲");
    chats.announce("🌙 第1夜 · 入夜。");
    assert!(chats.wants().is_empty());
    chats.tell("现在可以用：预言、荣光审判，截止 21:05。");
    assert_eq!(chats.indulge(), ["我"]);
    chats
        .tell("1号 甲｜预言家｜村民阵营\n状态：无\n预言｜∞｜甲、乙｜21:05\n荣光审判｜1｜乙｜21:05");
    let typed = chats.indulge();
    assert_eq!(typed.len(), 2, "{typed:?}");
    assert!(typed.contains(&"预言 乙".to_owned()) && typed.contains(&"放弃 荣光审判".to_owned()));
    chats.tell("✅ 收到：预言 乙");
    assert!(chats.wants().is_empty());
}

#[test]
fn what_was_open_lapses_with_its_window() {
    let mut chats = Chats::dealt("甲");
    chats.announce("🌙 第1夜 · 入夜。");
    chats.tell("1号 甲｜预言家｜村民阵营\n状态：无\n预言｜∞｜乙｜21:05");
    assert!(!chats.wants().is_empty());
    chats.announce("🌙 第1夜 · 狼王。");
    assert!(chats.wants().is_empty());
}

#[test]
fn wolves_meet_kill_together_and_spare_each_other() {
    let mut chats = Chats::dealt("甲");
    chats.tell("你的身份是【狼人】，属于狼人阵营。\n狼群里和你一起的是：乙、丙。");
    chats.tell("鸣潮1：你的私密群「狼群」群号是 700001。请申请加入。");
    let joins = chats.player.wishes();
    assert!(
        joins
            .iter()
            .any(|wish| wish.deed == Deed::Join { group: DEN })
    );
    chats.player.look(&Rooms::from([SQUARE, DEN]));
    assert_eq!(chats.indulge().len(), 1, "a word of greeting");
    chats.announce("🌙 第1夜 · 入夜。");
    let status = "1号 甲｜狼人｜狼人阵营\n状态：无\n杀人｜∞｜甲、乙、丙、丁｜21:05";
    chats.tell(status);
    assert_eq!(chats.wants(), [(Scene::Group(DEN), "杀人 丁".to_owned())]);
    chats.line(BOT, Some(DEN), "乙选择：杀人 丁（以最后一次为准）");
    assert!(chats.wants().is_empty(), "a mate has chosen");
    chats.tell("【狼群】今晚的杀人只能选 乙，或者放弃。刚才的选择作废，请重新选。");
    assert_eq!(chats.indulge(), ["我"]);
    chats.tell("1号 甲｜狼人｜狼人阵营\n状态：无\n杀人｜∞｜乙｜21:05");
    assert_eq!(chats.indulge(), ["放弃 杀人"]);
    chats.announce("☀️ 第1天开门");
    let votes: Vec<String> = chats
        .indulge()
        .into_iter()
        .filter(|text| text.starts_with("投票对象"))
        .collect();
    assert!(votes[0].starts_with("投票对象：丁"), "{votes:?}");
}

#[test]
fn a_seer_who_found_a_wolf_says_so_and_is_believed() {
    let mut seer = Chats::dealt("甲");
    seer.tell("预言：丙 → 狼人阵营");
    seer.announce("☀️ 第1天开门");
    let typed = seer.indulge();
    assert_eq!(
        typed
            .iter()
            .filter(|text| text.contains("我验了丙"))
            .count(),
        1,
        "{typed:?}"
    );
    assert!(
        typed.iter().any(|text| text.starts_with("投票对象：丙")),
        "{typed:?}"
    );
    let mut believer = Chats::dealt("丁");
    believer.announce("☀️ 第1天开门");
    for _ in 0..3 {
        believer.line(UserId(12), Some(SQUARE), "我是预言家，我验了丙，是狼人！");
    }
    assert!(
        believer
            .indulge()
            .iter()
            .any(|text| text.starts_with("投票对象：丙"))
    );
}

#[test]
fn a_player_that_starts_anew_wants_the_same() {
    let (mut first, mut again) = (Chats::dealt("甲"), Chats::dealt("甲"));
    for chats in [&mut first, &mut again] {
        chats.announce("☀️ 第1天开门");
        chats.line(ME, Some(SQUARE), "早");
    }
    assert_eq!(first.player.wishes(), again.player.wishes());
    assert!(!first.wants().is_empty());
}

#[test]
fn all_is_done_when_the_game_is_over() {
    let mut chats = Chats::dealt("甲");
    assert!(!chats.player.is_done());
    chats.announce("🏁 游戏结束，村民阵营胜利！");
    assert!(chats.player.is_done());
}
