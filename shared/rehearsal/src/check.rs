//! Steps that check something: what must hold, and what is there instead.

use rules::game::Ending;
use rules::{Game, SeatId, SkillId};

use crate::report::Fault;
use crate::script::{BySeat, Check, Feature, Tag, Trait, Win};
use crate::stage::Stage;

/// In a text that must not be there: any notice at all.
const ANYTHING: &str = "*";

impl Stage<'_> {
    /// Checks one thing; what was told, published and who went out is used up by looking at it.
    pub(crate) fn check(&mut self, check: &Check) -> Result<(), Fault> {
        match check {
            Check::Out(expected) => {
                let got = self.take_outs().into_iter().collect();
                let words = self.words();
                same(expected, &got, |seats| words.seats(*seats))
            }
            Check::OutOrder(expected) => {
                let got = self.take_outs();
                let words = self.words();
                same(expected, &got, |seats| words.order(seats))
            }
            Check::Standing(expected) => {
                let words = self.words();
                same(expected, &self.game().in_play(), |seats| {
                    words.seats(*seats)
                })
            }
            Check::Told(told) => self.told(told, Presence::Needed),
            Check::Untold(told) => self.told(told, Presence::Forbidden),
            Check::Public(texts) => self.published(texts, Presence::Needed),
            Check::NotPublic(texts) => self.published(texts, Presence::Forbidden),
            Check::Has(features) => self.features(features, Presence::Needed),
            Check::Lacks(features) => self.features(features, Presence::Forbidden),
            Check::Is(traits) => self.traits(traits),
            Check::Can(skills) => self.open(skills, Presence::Needed),
            Check::Cannot(skills) => self.open(skills, Presence::Forbidden),
            Check::Range(ranges) => self.by_skill(ranges, |stage, seat, skill| {
                let words = stage.words();
                let range = range(stage.game(), seat, skill);
                (range, move |seats: &rules::SeatSet| words.seats(*seats))
            }),
            Check::Left(uses) => self.by_skill(uses, |stage, seat, skill| {
                let left = left(stage.game(), seat, skill);
                (left, |left: &u32| match left {
                    &ANY_NUMBER => "any number".to_owned(),
                    left => left.to_string(),
                })
            }),
            Check::Tally(expected) => self.counted(expected),
            Check::Group(groups) => self.groups(groups),
            Check::Win(win) => self.win(win),
            Check::Winners(expected) => {
                let Some(Ending::Won { seats, .. }) = self.game().ending() else {
                    let expected = self.words().seats(*expected);
                    return Err(differs(expected, self.how_it_stands()));
                };
                same(expected, seats, |seats| self.words().seats(*seats))
            }
        }
    }

    /// How the game stands, for a person.
    pub(crate) fn how_it_stands(&self) -> String {
        match self.game().ending() {
            None => format!("the game goes on, in {}", self.game().phase()),
            Some(Ending::Won { factions, .. }) => {
                let names = self.words().names();
                let won: Vec<&str> = factions.iter().map(|f| names.faction(*f)).collect();
                format!("{} won", won.join("、"))
            }
            Some(Ending::Draw) => "a draw".to_owned(),
            Some(Ending::Stopped) => "the game ended without a winner".to_owned(),
        }
    }

    fn told(&mut self, told: &BySeat<Vec<String>>, presence: Presence) -> Result<(), Fault> {
        let mut wrong = Differences::default();
        for (seat, texts) in told {
            let heard = self.heard().take(*seat);
            let alias = self.words().seat(*seat);
            wrong.texts(&format!("{alias} is told"), texts, &heard, presence);
        }
        wrong.verdict()
    }

    fn published(&mut self, texts: &[String], presence: Presence) -> Result<(), Fault> {
        let mut wrong = Differences::default();
        let heard = self.heard().take_public();
        wrong.texts("it is published", texts, &heard, presence);
        wrong.verdict()
    }

    fn features(&self, all: &BySeat<Vec<Feature>>, presence: Presence) -> Result<(), Fault> {
        let mut wrong = Differences::default();
        for (seat, features) in all {
            for feature in features {
                let has = has(self.game(), *seat, feature);
                let what = format!("{} has {}", self.words().seat(*seat), feature.name);
                wrong.fact(&what, has, presence);
            }
        }
        wrong.verdict()
    }

    fn open(&self, all: &BySeat<Vec<SkillId>>, presence: Presence) -> Result<(), Fault> {
        let mut wrong = Differences::default();
        for (seat, skills) in all {
            let open = self.game().open_skills(*seat);
            for skill in skills {
                let can = open.iter().any(|held| held.skill == *skill);
                let names = self.words().names();
                let what = format!("{} can use {}", names.seat(*seat), names.skill(*skill));
                wrong.fact(&what, can, presence);
            }
        }
        wrong.verdict()
    }

    fn traits(&self, all: &BySeat<Vec<Trait>>) -> Result<(), Fault> {
        let (game, names) = (self.game(), self.words().names());
        let mut wrong = Differences::default();
        for (seat, traits) in all {
            let Some(state) = game.seat(*seat) else {
                continue;
            };
            for one in traits {
                let armed = |armed| if armed { "yes" } else { "no" };
                let (what, expected, got) = match *one {
                    Trait::Faction(f) => {
                        ("faction", names.faction(f), names.faction(state.faction))
                    }
                    Trait::Role(r) => ("role", names.role(r), names.role(state.role)),
                    Trait::FaceFaction(f) => (
                        "face_faction",
                        names.faction(f),
                        names.faction(game.face_faction(*seat)),
                    ),
                    Trait::FaceRole(r) => (
                        "face_role",
                        names.role(r),
                        names.role(game.face_role(*seat)),
                    ),
                    Trait::Armed(is) => ("armed", armed(is), armed(game.armed(*seat))),
                };
                if expected != got {
                    let what = format!("{} {what}", names.seat(*seat));
                    wrong.push(format!("{what}: {expected}"), format!("{what}: {got}"));
                }
            }
        }
        wrong.verdict()
    }

    /// Something of each skill of each seat, and how it is written.
    fn by_skill<'s, T: PartialEq, W: Fn(&T) -> String>(
        &'s self,
        all: &BySeat<Vec<(SkillId, T)>>,
        look: impl Fn(&'s Self, SeatId, SkillId) -> (T, W),
    ) -> Result<(), Fault> {
        let names = self.words().names();
        let mut wrong = Differences::default();
        for (seat, skills) in all {
            for (skill, expected) in skills {
                let (got, write) = look(self, *seat, *skill);
                if got != *expected {
                    let what = format!("{} {}", names.seat(*seat), names.skill(*skill));
                    wrong.push(
                        format!("{what}: {}", write(expected)),
                        format!("{what}: {}", write(&got)),
                    );
                }
            }
        }
        wrong.verdict()
    }

    fn counted(&self, expected: &[(SeatId, i32)]) -> Result<(), Fault> {
        let write = |tally: &[(SeatId, i32)]| {
            if tally.is_empty() {
                return "nobody got any weight".to_owned();
            }
            let one = |(seat, weight): &(SeatId, i32)| {
                let votes = f64::from(*weight) / 100.0;
                format!("{}: {votes}", self.words().seat(*seat))
            };
            tally.iter().map(one).collect::<Vec<_>>().join("、")
        };
        match self.tally() {
            Some(got) if got == expected => Ok(()),
            Some(got) => Err(differs(write(expected), write(got))),
            None => Err(differs(
                write(expected),
                "no vote was counted yet".to_owned(),
            )),
        }
    }

    fn groups(&self, all: &[(rules::GroupId, rules::SeatSet)]) -> Result<(), Fault> {
        let mut wrong = Differences::default();
        for (group, expected) in all {
            let got = self.game().group_members(*group);
            if got != *expected {
                let name = self.words().names().group(*group);
                let line = |seats| format!("{name}: {}", self.words().seats(seats));
                wrong.push(line(*expected), line(got));
            }
        }
        wrong.verdict()
    }

    fn win(&self, expected: &Win) -> Result<(), Fault> {
        let holds = match (expected, self.game().ending()) {
            (Win::GoesOn, None) | (Win::Draw, Some(Ending::Draw)) => true,
            (Win::Factions(expected), Some(Ending::Won { factions, .. })) => {
                let mut won = factions.clone();
                won.sort_unstable();
                won == *expected
            }
            _ => false,
        };
        if holds {
            return Ok(());
        }
        let expected = match expected {
            Win::GoesOn => "the game goes on".to_owned(),
            Win::Draw => "a draw".to_owned(),
            Win::Factions(factions) => {
                let names = self.words().names();
                let won: Vec<&str> = factions.iter().map(|f| names.faction(*f)).collect();
                format!("{} won", won.join("、"))
            }
        };
        Err(differs(expected, self.how_it_stands()))
    }
}

/// Uses without a limit.
const ANY_NUMBER: u32 = u32::MAX;

/// Remaining uses, of all holdings of a skill together; a skill that is not held has none.
fn left(game: &Game, seat: SeatId, skill: SkillId) -> u32 {
    let holdings = game.seat(seat).map_or(&[][..], |seat| &seat.holdings);
    holdings
        .iter()
        .filter(|holding| holding.skill == skill)
        .map(|holding| holding.left.map_or(ANY_NUMBER, u32::from))
        .fold(0, u32::saturating_add)
}

/// Who can be chosen for a skill now: nobody while it is not open.
fn range(game: &Game, seat: SeatId, skill: SkillId) -> rules::SeatSet {
    let open = game.open_skills(seat);
    let held = open.into_iter().find(|held| held.skill == skill);
    held.map(|held| game.range(held)).unwrap_or_default()
}

fn has(game: &Game, seat: SeatId, feature: &Feature) -> bool {
    feature
        .state
        .is_some_and(|state| game.has_state(seat, state))
        || feature
            .skill
            .is_some_and(|skill| game.held(seat, skill).is_some())
        || feature.tag.is_some_and(|tag| match tag {
            Tag::InPack => in_pack(game, seat),
        })
}

/// Does the seat share a group's kill, as a member of that group?
fn in_pack(game: &Game, seat: SeatId) -> bool {
    let board = game.board();
    let holdings = game.seat(seat).map_or(&[][..], |seat| &seat.holdings);
    holdings.iter().any(|holding| {
        let def = board.skill_def(holding.skill);
        def.kill && game.team_of(seat, holding.skill).is_some()
    })
}

/// Must something be there, or must it not?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Needed,
    Forbidden,
}

/// What differs, several things at once.
#[derive(Debug, Default)]
struct Differences {
    expected: Vec<String>,
    got: Vec<String>,
}

impl Differences {
    fn push(&mut self, expected: String, got: String) {
        self.expected.push(expected);
        self.got.push(got);
    }

    /// Something that must or must not be so.
    fn fact(&mut self, what: &str, is: bool, presence: Presence) {
        let (yes, no) = (what.to_owned(), format!("not: {what}"));
        match (is, presence) {
            (false, Presence::Needed) => self.push(yes, no),
            (true, Presence::Forbidden) => self.push(no, yes),
            _ => {}
        }
    }

    /// Texts that must or must not stand in what was heard.
    fn texts(&mut self, what: &str, texts: &[String], heard: &[String], presence: Presence) {
        for text in texts {
            let anything = presence == Presence::Forbidden && text == ANYTHING;
            let is = heard.iter().any(|line| anything || line.contains(text));
            let expected = match (is, presence) {
                (false, Presence::Needed) => format!("{what}: {text}"),
                (true, Presence::Forbidden) if anything => format!("not: {what} anything"),
                (true, Presence::Forbidden) => format!("not: {what}: {text}"),
                _ => continue,
            };
            self.expected.push(expected);
        }
        if !self.expected.is_empty() {
            let heard = if heard.is_empty() {
                "nothing".to_owned()
            } else {
                heard.join(" / ")
            };
            self.got.push(format!("{what}: {heard}"));
        }
    }

    fn verdict(self) -> Result<(), Fault> {
        if self.expected.is_empty() {
            Ok(())
        } else {
            Err(differs(self.expected.join("; "), self.got.join("; ")))
        }
    }
}

fn differs(expected: String, got: String) -> Fault {
    Fault::Differs { expected, got }
}

fn same<T: PartialEq>(expected: &T, got: &T, write: impl Fn(&T) -> String) -> Result<(), Fault> {
    if expected == got {
        Ok(())
    } else {
        Err(differs(write(expected), write(got)))
    }
}
