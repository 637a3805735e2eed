//! A small board to which each test adds its skills and states: every skill has a role of its
//! own name, and seats are dealt by naming the roles. 平民 has none.

use std::sync::Arc;

use rules::board::{
    Board, Calendar, Choose, DealRules, End, Faction, Flow, Harms, LastWordsRule, ListOrder,
    Options, Penalties, Publication, Role, SeatCount, SkillDef, StateDef, Usage, VoteRules, Window,
    WindowKind, WinsChecked,
};
use rules::skill::Skill;
use rules::{FactionId, PhaseKind, SkillId, StateId, WindowId};
use sim::Table;

/// The two windows of a night.
pub(crate) const EARLY: WindowId = WindowId(1);
pub(crate) const LATE: WindowId = WindowId(2);

/// A board in the making.
pub(crate) struct Toy {
    board: Board,
}

impl Toy {
    pub(crate) fn new() -> Self {
        let windows = [
            ("开局", PhaseKind::Opening, WindowKind::Skills),
            ("早夜", PhaseKind::Night, WindowKind::Skills),
            ("深夜", PhaseKind::Night, WindowKind::Skills),
            ("晨曦", PhaseKind::Dawn, WindowKind::Reactions),
            ("白天", PhaseKind::Day, WindowKind::Vote),
            ("黄昏", PhaseKind::Dusk, WindowKind::Reactions),
        ];
        let windows: Vec<Window> = windows
            .into_iter()
            .map(|(name, phase, kind)| Window {
                name: name.to_owned(),
                phase,
                kind,
            })
            .collect();
        let calendar = Calendar {
            name: "toy".to_owned(),
            ends: vec![End::After(10); windows.len()],
            early: false,
            reaction_minutes: 0,
            changes_stop_minutes: 0,
            petitions_stop_minutes: 0,
        };
        let board = Board {
            id: "toy".to_owned(),
            name: "玩具".to_owned(),
            hash: "toy".to_owned(),
            source: "".into(),
            factions: vec![Faction {
                name: "大家".to_owned(),
            }],
            classes: Vec::new(),
            roles: vec![role("平民", Vec::new())],
            deal: DealRules::default(),
            skills: Vec::new(),
            states: Vec::new(),
            groups: Vec::new(),
            windows,
            flow: Flow {
                lead: vec![PhaseKind::Opening],
                cycle: vec![
                    PhaseKind::Night,
                    PhaseKind::Dawn,
                    PhaseKind::Day,
                    PhaseKind::Dusk,
                ],
            },
            calendars: vec![calendar],
            vote: VoteRules {
                changes: Some(1),
                ballots_public: true,
                secret_from: None,
                first_day_shows: None,
            },
            sheriff: None,
            settlement: Vec::new(),
            preventions: Vec::new(),
            redirects: Vec::new(),
            stand_ins: Vec::new(),
            draws: Vec::new(),
            wins: Vec::new(),
            wins_checked: WinsChecked::Fixed,
            publication: Publication {
                order: ListOrder::Seat,
                causes: true,
                factions: false,
                told_at_once: false,
                vote_at_once: true,
                cards: false,
                first_night_after_election: false,
            },
            last_words: LastWordsRule {
                first_night: true,
                later_nights: false,
                day: Harms::all(),
            },
            penalties: Penalties {
                merge: None,
                red_before_vote: false,
                few_posts: 0,
                few_posts_three_days: 0,
                no_vote: false,
            },
            surrender: Vec::new(),
            options: Options {
                sheriff: false,
                idle_cards: false,
                counts: true,
                runoff: false,
            },
        };
        Self { board }
    }

    /// Adds a state. Its place among preventions, redirects and stand-ins is where it is added.
    pub(crate) fn state(&mut self, name: &str, def: &StateDef) -> StateId {
        let id = StateId(u8::try_from(self.board.states.len()).expect("few states"));
        if def.redirect.is_some() {
            self.board.redirects.push(id);
        }
        if def.stand_in {
            self.board.stand_ins.push(id);
        }
        if def.stops != rules::board::Harms::NONE {
            self.board.preventions.push(id);
        }
        self.board.states.push(StateDef {
            name: name.to_owned(),
            ..def.clone()
        });
        id
    }

    /// Adds a skill and a role that has only it. Skills act, and their hits settle, in the order
    /// in which they are added.
    pub(crate) fn skill(&mut self, name: &str, code: impl Skill + 'static) -> SkillId {
        self.skill_with(name, code, |_| {})
    }

    /// The same, with something changed about it. The default is sent in the early night and
    /// names one seat.
    pub(crate) fn skill_with(
        &mut self,
        name: &str,
        code: impl Skill + 'static,
        change: impl FnOnce(&mut SkillDef),
    ) -> SkillId {
        let place = u16::try_from(self.board.skills.len()).expect("few skills");
        let mut def = SkillDef {
            name: name.to_owned(),
            aliases: Vec::new(),
            windows: [EARLY].into_iter().collect(),
            usage: Usage::Sent,
            uses: None,
            forced: false,
            locked: false,
            every: 0,
            unhurried: false,
            seats: SeatCount::exactly(1),
            choose: Choose::default(),
            targeted: true,
            team: None,
            kill: false,
            spoken: false,
            excludes: Vec::new(),
            order: place,
            help: String::new(),
            code: Arc::new(code),
        };
        change(&mut def);
        let id = SkillId(place);
        self.board.skills.push(def);
        self.board.settlement.push(id);
        self.board.roles.push(role(name, vec![id]));
        id
    }

    /// Deals these roles and begins the opening.
    pub(crate) fn deal(self, roles: &[&str]) -> Table {
        Table::open(&Arc::new(self.board), "toy", roles)
    }

    /// The same, with forced dice.
    pub(crate) fn deal_with_dice(self, roles: &[&str], dice: &[&str]) -> Table {
        let board = Arc::new(self.board);
        let seats = roles.iter().map(|name| rules::SeatSetup {
            role: board.role(name).unwrap_or_else(|e| panic!("{e}")),
            faction: None,
        });
        Table::start(rules::Setup {
            seats: seats.collect(),
            dice: dice.iter().map(ToString::to_string).collect(),
            ..sim::setup(&board, "toy", 1)
        })
    }
}

fn role(name: &str, skills: Vec<SkillId>) -> Role {
    Role {
        name: name.to_owned(),
        faction: Some(FactionId(0)),
        class: None,
        strength: 0,
        count: 1,
        skills,
    }
}
