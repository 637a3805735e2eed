//! The director that a bot plays: opens the game, deals, begins, and hurries when asked to.

use std::collections::BTreeSet;

use protocol::{ChatGroup, Scene, UserId};

use super::reading::{self, Sign};
use super::tempo::Tempo;
use super::wish::{Anchor, Brain, Deed, Rooms, Wish};
use crate::hall::Line;
use crate::world::Pace;

/// A director.
pub(super) struct Director {
    user: UserId,
    bot: UserId,
    square: ChatGroup,
    calendar: &'static str,
    tempo: Tempo,
    opened: Anchor,
    asked_to_open: bool,
    may_deal: Option<Anchor>,
    dealt: Option<Anchor>,
    begun: bool,
    window: Option<(Anchor, Window)>,
    tried: BTreeSet<String>,
    done: bool,
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Window {
    /// Skills or reactions.
    Skills,
    /// The election's talk and vote.
    Election,
    /// A day's talk and vote.
    Day,
}

impl Director {
    /// A director of a table that was laid at this instant.
    pub(super) fn new(
        user: UserId,
        bot: UserId,
        square: ChatGroup,
        pace: Pace,
        laid_ms: i64,
        tempo: Tempo,
    ) -> Self {
        Self {
            user,
            bot,
            square,
            calendar: if pace == Pace::Manual {
                "manual"
            } else {
                "quick"
            },
            tempo,
            opened: Anchor {
                seq: 0,
                at_ms: laid_ms,
            },
            asked_to_open: false,
            may_deal: None,
            dealt: None,
            begun: false,
            window: None,
            tried: BTreeSet::new(),
            done: false,
        }
    }

    fn hear_host(&mut self, line: &Line) {
        let anchor = Anchor::of(line);
        let text = &line.text;
        let may_deal = text.contains("可以“发牌”") || text.contains("再发一次“发牌”");
        if may_deal && self.dealt.is_none() {
            self.may_deal = Some(anchor);
        }
        if line.scene != "group" {
            return;
        }
        for sign in reading::public(text) {
            match sign {
                Sign::Dealt(_) => {
                    self.may_deal = None;
                    self.dealt = Some(anchor);
                }
                Sign::Opening | Sign::Night { .. } | Sign::Dawn | Sign::Badge | Sign::Dusk => {
                    self.begun = true;
                    self.window = Some((anchor, Window::Skills));
                }
                Sign::Election => self.window = Some((anchor, Window::Election)),
                Sign::Day { .. } => self.window = Some((anchor, Window::Day)),
                Sign::Over => self.done = true,
                Sign::Lobby | Sign::Out(_) => {}
            }
        }
    }

    fn hear_myself(&mut self, line: &Line) {
        let text = line.text.trim();
        if text.starts_with("开局") {
            self.asked_to_open = true;
        } else if text == "发牌" {
            self.may_deal = None;
        } else if text == "开始" {
            self.begun = true;
        } else if ["下一步", "关门", "开门"].contains(&text) {
            // Somebody was faster: what comes next is waited for.
            self.window = None;
        }
    }

    fn hurry_wish(&self) -> Option<Wish> {
        let (anchor, window) = self.window?;
        let close_window = self.tempo.close_window?;
        let (span, text) = match window {
            Window::Skills => (close_window, "下一步"),
            Window::Election => (self.tempo.election, "关门"),
            Window::Day => (self.tempo.day, "关门"),
        };
        Some(Wish {
            key: format!("hurry/{}", anchor.seq),
            due_ms: anchor.plus(span),
            deed: Deed::Say {
                scene: Scene::Private(self.user),
                text: text.to_owned(),
                reply_to: None,
            },
        })
    }

    fn in_square(&self, key: String, due_ms: i64, text: String) -> Wish {
        let scene = Scene::Group(self.square);
        Wish {
            key,
            due_ms,
            deed: Deed::Say {
                scene,
                text,
                reply_to: None,
            },
        }
    }
}

impl Brain for Director {
    fn hear(&mut self, line: &Line) {
        // Who directs now may have directed before.
        let elsewhere = line.scene == "group" && line.peer != self.square.0;
        if elsewhere || line.time_ms < self.opened.at_ms {
            return;
        }
        if line.own {
            self.hear_myself(line);
        } else if line.from == self.bot {
            self.hear_host(line);
        }
    }

    fn look(&mut self, _rooms: &Rooms) {}

    fn wishes(&self) -> Vec<Wish> {
        let mut wishes = Vec::new();
        if !self.asked_to_open {
            // Visitors are to look around in peace: nobody is carded for being idle.
            let text = format!("开局 m158 日历={} idle_cards=false", self.calendar);
            wishes.push(self.in_square(
                "open".to_owned(),
                self.opened.plus(0.1 * self.tempo.read),
                text,
            ));
        }
        if let Some(anchor) = self.may_deal {
            let key = format!("deal/{}", anchor.seq);
            wishes.push(self.in_square(key, anchor.plus(0.3 * self.tempo.read), "发牌".to_owned()));
        }
        if let Some(anchor) = self.dealt.filter(|_| !self.begun) {
            wishes.push(self.in_square(
                "begin".to_owned(),
                anchor.plus(self.tempo.read),
                "开始".to_owned(),
            ));
        }
        wishes.extend(self.hurry_wish());
        wishes.retain(|wish| !self.tried.contains(&wish.key));
        wishes
    }

    fn tried(&mut self, key: &str) {
        self.tried.insert(key.to_owned());
    }

    fn set_tempo(&mut self, tempo: Tempo) {
        self.tempo = tempo;
    }

    fn is_done(&self) -> bool {
        self.done
    }
}
