//! A command back in words, so that reading them gives the same command.

use rules::board::Colour;
use rules::input::{Order, Ruling};
use rules::{FactionId, RoleId, SeatId, SkillId, StateId};

use crate::said::{DirectorCommand, Said, Target};
use crate::tokens::{QUOTES, fold, is_separator};
use crate::vocabulary::Vocabulary;

/// The line that says this.
pub fn print(said: &Said, vocabulary: &Vocabulary) -> String {
    let printer = Printer(vocabulary);
    match said {
        Said::Skill { skill, rest, .. } => with_text(&printer.skill(*skill), rest),
        Said::Decline(None) => "放弃".to_owned(),
        Said::Decline(Some(skill)) => format!("放弃 {}", printer.skill(*skill)),
        Said::Status => "我".to_owned(),
        Said::Help(about) => with_text("帮助", about.as_deref().unwrap_or_default()),
        Said::LastWords(text) => with_text("遗言", text),
        Said::Confirm => "确认".to_owned(),
        Said::SignUp(None) => "报名".to_owned(),
        Said::SignUp(Some(alias)) => format!("报名 {}", quoted(alias)),
        Said::Quit => "退出".to_owned(),
        Said::Elevator => "电梯".to_owned(),
        Said::Ballots => "票型".to_owned(),
        Said::Notices => "公告".to_owned(),
        Said::Surrender => "投降".to_owned(),
        Said::AgreeSurrender => "同意投降".to_owned(),
        Said::Diary(text) => with_text("树洞", text),
        Said::Say(text) => with_text("说", text),
        Said::Vote { target, reason } => {
            with_text(&format!("投 {}", printer.target(*target)), reason)
        }
        Said::VotePost => "投票".to_owned(),
        Said::Petition => "申请加速".to_owned(),
        Said::Run => "竞选".to_owned(),
        Said::Withdraw => "退选".to_owned(),
        Said::Open => "开局".to_owned(),
        Said::Director(command) => printer.command(command),
    }
}

/// A word that stays one word when it is read.
fn quoted(word: &str) -> String {
    let bare = !word.chars().any(is_separator)
        && !word.is_empty()
        && !QUOTES.iter().any(|(open, _)| word.contains(*open));
    let fits = |(open, close): &&(char, char)| !word.contains(*open) && !word.contains(*close);
    match QUOTES.iter().find(fits) {
        Some((open, close)) if !bare => format!("{open}{word}{close}"),
        _ => word.to_owned(),
    }
}

fn with_text(words: &str, text: &str) -> String {
    if text.is_empty() {
        words.to_owned()
    } else {
        format!("{words} {text}")
    }
}

struct Printer<'v>(&'v Vocabulary);

impl Printer<'_> {
    fn name(names: &[String], place: usize) -> String {
        names
            .get(place)
            .map(|name| quoted(name))
            .unwrap_or_default()
    }

    fn seat(&self, seat: SeatId) -> String {
        let alias = self.0.alias(seat);
        // An alias that reads as another seat's number, or as 弃权, is given by number.
        let plain = self.0.word(&alias).seat == Some(seat) && fold(&alias) != "弃权";
        if plain {
            quoted(&alias)
        } else {
            seat.to_string()
        }
    }

    fn target(&self, target: Target) -> String {
        target
            .seat()
            .map_or_else(|| "弃权".to_owned(), |seat| self.seat(seat))
    }

    fn skill(&self, skill: SkillId) -> String {
        Self::name(&self.0.names().skills, skill.index())
    }

    fn state(&self, state: StateId) -> String {
        Self::name(&self.0.names().states, state.index())
    }

    fn faction(&self, faction: FactionId) -> String {
        Self::name(&self.0.names().factions, faction.index())
    }

    fn role(&self, role: RoleId) -> String {
        Self::name(&self.0.names().roles, role.index())
    }

    fn command(&self, command: &DirectorCommand) -> String {
        match command {
            DirectorCommand::Deal => "发牌".to_owned(),
            DirectorCommand::Order(order) => self.order(order),
            DirectorCommand::VoteFor { voter, target } => {
                format!("代投 {} {}", self.seat(*voter), self.target(*target))
            }
            DirectorCommand::ActFor { seat, said } => {
                format!("代发 {} {}", self.seat(*seat), print(said, self.0))
            }
            DirectorCommand::Substitute { seat, user } => {
                format!("替补 {} @{user}", self.seat(*seat))
            }
            DirectorCommand::Coach { seat, user } => format!("场助 {} @{user}", self.seat(*seat)),
            DirectorCommand::Answer { item, answer } => format!("回答 {item} {}", answer.word()),
            DirectorCommand::Release(None) => "放行".to_owned(),
            DirectorCommand::Release(Some(item)) => format!("放行 {item}"),
            DirectorCommand::Reject { item, reason } => with_text(&format!("驳回 {item}"), reason),
            DirectorCommand::Remind => "催票".to_owned(),
            DirectorCommand::Hold => "扣住".to_owned(),
            DirectorCommand::Reckoning => "结算".to_owned(),
            DirectorCommand::State => "状态".to_owned(),
        }
    }

    fn order(&self, order: &Order) -> String {
        match order {
            Order::Start => "开始".to_owned(),
            Order::Next => "下一步".to_owned(),
            Order::CloseDoor => "关门".to_owned(),
            Order::OpenDoor => "开门".to_owned(),
            Order::SpeedUp => "加速".to_owned(),
            Order::Extend(span) => format!("延时 {}.{:03}秒", span / 1000, span % 1000),
            Order::Pause => "暂停".to_owned(),
            Order::Resume => "继续".to_owned(),
            Order::Card {
                seat,
                colour,
                reason,
            } => with_text(
                &format!("{} {}", colour_word(*colour), self.seat(*seat)),
                reason,
            ),
            Order::Announce(text) => with_text("公示", text),
            Order::Rewind => "回档".to_owned(),
            Order::End(None) => "结束".to_owned(),
            Order::End(Some(faction)) => format!("结束 {}", self.faction(*faction)),
            Order::Rule { ruling, reason } if reason.is_empty() => {
                format!("裁定 {}", self.ruling(ruling))
            }
            Order::Rule { ruling, reason } => format!("裁定 {}｜{reason}", self.ruling(ruling)),
        }
    }

    fn ruling(&self, ruling: &Ruling) -> String {
        match ruling {
            Ruling::PutOut(seat) => format!("出局 {}", self.seat(*seat)),
            Ruling::BringBack(seat) => format!("复活 {}", self.seat(*seat)),
            Ruling::Lay(seat, state) => format!("状态 {} {}", self.seat(*seat), self.state(*state)),
            Ruling::Lift(seat, state) => {
                format!("解除 {} {}", self.seat(*seat), self.state(*state))
            }
            Ruling::Give(seat, skill) => format!("给 {} {}", self.seat(*seat), self.skill(*skill)),
            Ruling::Take(seat, skill) => format!("收 {} {}", self.seat(*seat), self.skill(*skill)),
            Ruling::Faction(seat, faction) => {
                format!("阵营 {} {}", self.seat(*seat), self.faction(*faction))
            }
            Ruling::Face(seat, faction, role) => {
                let (faction, role) = (self.faction(*faction), self.role(*role));
                format!("表面 {} {faction} {role}", self.seat(*seat))
            }
            Ruling::Weight(seat, weight) => {
                format!(
                    "票权 {} {}.{:02}",
                    self.seat(*seat),
                    weight / 100,
                    weight % 100
                )
            }
            Ruling::Tell(seat, text) => format!("通知 {} {text}", self.seat(*seat)),
            Ruling::ExtendWindow(minutes) => format!("延窗 {minutes}"),
        }
    }
}

fn colour_word(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "蓝牌",
        Colour::Yellow => "黄牌",
        Colour::Red => "红牌",
    }
}
