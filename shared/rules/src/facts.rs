//! Facts: computed from state whenever asked, never stored twice.

use crate::board::{Members, Oneself, SeatCount, StateDef, TeamChoice, Usage, Whom};
use crate::game::Game;
use crate::ids::{ClassId, FactionId, GroupId, RoleId, SeatId, SeatSet, SkillId, StateId, Time};
use crate::phase::{PhaseKind, WindowId};
use crate::refusal::NotChoosable;
use crate::skill::Held;
use crate::world::{Hit, Holding, Reaction, Seat, StateRecord};

/// A skill that is open to a seat now, as `我` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Which holding.
    pub held: Held,
    /// Uses left; `None`: any number.
    pub left: Option<u8>,
    /// Who can be chosen now; `None`: it names no seat.
    pub range: Option<SeatSet>,
    /// Until when; `None`: until the director goes on.
    pub until: Option<Time>,
}

/// Something that is owed: who, which skill. Named, never counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obligation {
    /// Who.
    pub seat: SeatId,
    /// Which skill.
    pub skill: SkillId,
}

impl Game {
    /// Every seat.
    pub fn all(&self) -> impl Iterator<Item = SeatId> + use<> {
        SeatSet::first(self.world.seats.len()).iter()
    }

    /// Does the word name something of this game, where it is a name?
    pub fn knows(&self, word: &crate::Word) -> bool {
        use crate::Word;
        match word {
            Word::Seat(seat) => seat.index() < self.world.seats.len(),
            Word::Role(role) => role.index() < self.board.roles.len(),
            Word::Skill(skill) => skill.index() < self.board.skills.len(),
            Word::Faction(faction) => faction.index() < self.board.factions.len(),
            Word::Number(_) | Word::Text(_) => true,
        }
    }

    /// A seat of this game, or nothing.
    pub fn seat(&self, seat: SeatId) -> Option<&Seat> {
        self.world.seats.get(seat.index())
    }

    pub(crate) fn at(&self, seat: SeatId) -> &Seat {
        &self.world.seats[seat.index()]
    }

    /// Seats in play.
    pub fn in_play(&self) -> SeatSet {
        self.all().filter(|s| self.at(*s).out.is_none()).collect()
    }

    /// Had the faction a member when the game started, and can it win?
    pub(crate) fn started_with(&self, faction: FactionId) -> bool {
        self.kept.started.contains(&faction) && self.can_win(faction)
    }

    /// Is the seat in play?
    pub fn stands(&self, seat: SeatId) -> bool {
        self.at(seat).out.is_none()
    }

    /// Seats that the public knows to be in play.
    pub fn publicly_in_play(&self) -> SeatSet {
        SeatSet::first(self.world.seats.len()).minus(self.world.announced)
    }

    /// The faction that the seat knows itself to be of: a couple does not learn what it has made.
    pub fn known_faction(&self, seat: SeatId) -> FactionId {
        let seat = self.at(seat);
        seat.told_faction.unwrap_or(seat.dealt)
    }

    /// What a check shows of the faction (the last disguise, else the faction now).
    pub fn face_faction(&self, seat: SeatId) -> FactionId {
        let seat = self.at(seat);
        seat.faces
            .iter()
            .rev()
            .find_map(|f| f.faction)
            .unwrap_or(seat.faction)
    }

    /// What a check shows of the role.
    pub fn face_role(&self, seat: SeatId) -> RoleId {
        let seat = self.at(seat);
        seat.faces
            .iter()
            .rev()
            .find_map(|f| f.role)
            .unwrap_or(seat.role)
    }

    /// What a check shows of being armed.
    pub fn face_armed(&self, seat: SeatId) -> bool {
        self.at(seat)
            .faces
            .iter()
            .rev()
            .find_map(|f| f.armed)
            .unwrap_or_else(|| self.armed(seat))
    }

    /// Does it hold a kill (G26)?
    pub fn armed(&self, seat: SeatId) -> bool {
        self.at(seat)
            .holdings
            .iter()
            .any(|h| self.board.skill_def(h.skill).kill)
    }

    /// The class of the seat's card (G26: classes go by card).
    pub fn class(&self, seat: SeatId) -> Option<ClassId> {
        self.board.role_def(self.at(seat).card).class
    }

    /// The private groups and who belongs in them, out or in play (G5).
    pub fn groups(&self) -> Vec<(GroupId, SeatSet)> {
        self.board
            .groups
            .iter()
            .enumerate()
            .map(|(i, group)| (GroupId::at(i), self.members(group.members)))
            .filter(|(_, members): &(_, SeatSet)| !members.is_empty())
            .collect()
    }

    /// The members of a private group.
    pub fn group_members(&self, group: GroupId) -> SeatSet {
        self.members(self.board.groups[group.index()].members)
    }

    fn members(&self, members: Members) -> SeatSet {
        match members {
            Members::Dealt(faction) => self
                .all()
                .filter(|s| self.at(*s).dealt == faction)
                .collect(),
            Members::State(state) => self.holders_of(state),
        }
    }

    /// The group in which the seat has this skill together with others.
    pub fn team_of(&self, seat: SeatId, skill: SkillId) -> Option<GroupId> {
        let team = self.board.skill_def(skill).team.as_ref()?;
        let mut groups = team.groups.iter().copied();
        groups.find(|g| self.group_members(*g).has(seat))
    }

    /// Does one message of this skill stand for a whole team?
    pub(crate) fn sent_for_all(&self, skill: SkillId) -> bool {
        let team = self.board.skill_def(skill).team.as_ref();
        team.is_some_and(|t| t.choice == TeamChoice::Latest)
    }

    /// Whose win the seat shares: its own faction's, or that of the seat it follows (F19).
    pub fn allegiance(&self, seat: SeatId) -> FactionId {
        let mut at = seat;
        for _ in 0..self.world.seats.len() {
            match self.at(at).shares {
                Some(next) => at = next,
                None => break,
            }
        }
        self.at(at).faction
    }

    /// The neighbours of a seat: the nearest seats still in play, before and after (G6).
    pub fn neighbours(&self, seat: SeatId) -> Option<(SeatId, SeatId)> {
        let n = self.world.seats.len();
        let step = |back: bool| {
            (1..n)
                .map(|d| {
                    if back {
                        (seat.index() + n - d) % n
                    } else {
                        (seat.index() + d) % n
                    }
                })
                .map(SeatId::at)
                .find(|s| self.stands(*s))
        };
        Some((step(true)?, step(false)?))
    }

    // --- states -----------------------------------------------------------------------------

    /// Does the record work now: in this phase, and not stripped from a forced skill's owner?
    pub(crate) fn works(&self, record: &StateRecord) -> bool {
        let def = self.board.state_def(record.state);
        if !def.phases.is_empty() && !def.phases.has(self.world.phase.kind) {
            return false;
        }
        if def
            .fails_with
            .iter()
            .any(|s| self.has_state(record.seat, *s))
        {
            return false;
        }
        match record.from {
            Some((seat, holding)) if record.until.is_none() => {
                let standing = self
                    .at(seat)
                    .holdings
                    .iter()
                    .find(|h| h.id == holding)
                    .map(|h| self.board.skill_def(h.skill))
                    .is_some_and(|d| d.usage == Usage::Standing && d.forced);
                !standing || !self.stripped(seat)
            }
            _ => true,
        }
    }

    /// Records on this seat that work now.
    pub(crate) fn working(&self, seat: SeatId) -> impl Iterator<Item = (&StateRecord, &StateDef)> {
        self.world
            .states
            .iter()
            .filter(move |r| r.seat == seat && self.works(r))
            .map(|r| (r, self.board.state_def(r.state)))
    }

    fn flag(&self, seat: SeatId, flag: impl Fn(&StateDef) -> bool) -> bool {
        !self.world.states.is_empty() && self.working(seat).any(|(_, def)| flag(def))
    }

    fn stripped(&self, seat: SeatId) -> bool {
        // Not by `working`: whether a stripping state works cannot depend on stripping.
        self.world
            .states
            .iter()
            .any(|r| r.seat == seat && self.board.state_def(r.state).strips)
    }

    /// Does the state lie on the seat?
    pub fn has_state(&self, seat: SeatId, state: StateId) -> bool {
        self.world
            .states
            .iter()
            .any(|r| r.seat == seat && r.state == state)
    }

    /// Does a state lie on the seat of which it was told?
    pub fn was_told_of(&self, seat: SeatId, state: StateId) -> bool {
        let mut records = self.world.states.iter();
        records.any(|r| r.seat == seat && r.state == state && r.told)
    }

    /// Who has this state.
    pub fn holder_of(&self, state: StateId) -> Option<SeatId> {
        self.world
            .states
            .iter()
            .find(|r| r.state == state)
            .map(|r| r.seat)
    }

    /// Everyone who has this state.
    pub fn holders_of(&self, state: StateId) -> SeatSet {
        let records = self.world.states.iter().filter(|r| r.state == state);
        records.map(|r| r.seat).collect()
    }

    /// Is the seat veiled from targeted skills?
    pub(crate) fn veiled(&self, seat: SeatId) -> bool {
        self.flag(seat, |d| d.veils)
    }

    /// Is it the case that no skill can name the seat?
    pub(crate) fn untargetable(&self, seat: SeatId) -> bool {
        self.flag(seat, |d| d.untargetable)
    }

    /// Must the seat vote?
    pub(crate) fn must_vote(&self, seat: SeatId) -> bool {
        self.flag(seat, |d| d.must_vote)
    }

    /// Does a red card or a state bar the seat from this skill?
    pub(crate) fn barred(&self, seat: SeatId, skill: SkillId) -> bool {
        self.at(seat).barred || self.bars(seat, skill, |_| true)
    }

    /// Does something bar the seat from this skill that it knows of? What is not told to it must
    /// not show when it sends the skill.
    pub(crate) fn knows_barred(&self, seat: SeatId, skill: SkillId) -> bool {
        self.at(seat).barred || self.bars(seat, skill, |r| r.told)
    }

    /// What comes with the badge is no skill of a card: states do not bar from it.
    fn bars(&self, seat: SeatId, skill: SkillId, counts: impl Fn(&StateRecord) -> bool) -> bool {
        let badge = self.board.sheriff.as_ref();
        if self.world.states.is_empty() || badge.is_some_and(|b| b.skills.contains(&skill)) {
            return false;
        }
        let def = self.board.skill_def(skill);
        let stripped =
            |r: &StateRecord| r.seat == seat && self.board.state_def(r.state).strips && counts(r);
        self.working(seat).any(|(record, state)| {
            counts(record)
                && ((!(def.locked || def.forced) && state.silences) || (def.kill && state.disarms))
        }) || (def.forced && self.world.states.iter().any(stripped))
    }

    /// Does a state keep the seat from using the skill?
    pub(crate) fn silenced(&self, seat: SeatId, skill: SkillId) -> bool {
        self.bars(seat, skill, |_| true)
    }

    /// Would a state that lies on the target now stop this hit for good?
    pub(crate) fn would_void(&self, hit: &Hit) -> bool {
        let mut working = self.working(hit.target);
        working.any(|(_, def)| def.stops.has(hit.harm) && !def.holds_back)
    }

    /// Would the state bar the seat from a skill that it could still send in this phase?
    pub(crate) fn would_bar(&self, seat: SeatId, state: StateId) -> bool {
        let state = self.board.state_def(state);
        let later = |w: &WindowId| self.world.window.is_none_or(|now| *w > now);
        self.at(seat).holdings.iter().any(|h| {
            let def = self.board.skill_def(h.skill);
            let held = Held {
                seat,
                holding: h.id,
                skill: h.skill,
            };
            let by_message = matches!(def.usage, Usage::Sent | Usage::Immediate);
            let barred = (state.silences && !def.forced)
                || (state.strips && def.forced)
                || (state.disarms && def.kill);
            let mut windows = self.board.windows_of(self.world.phase.kind).filter(later);
            by_message
                && barred
                && h.left != Some(0)
                && windows.any(|w| def.windows.has(w))
                && def.code.open(self, held)
        })
    }

    /// Has the seat no ballot?
    pub(crate) fn voteless(&self, seat: SeatId) -> bool {
        self.flag(seat, |d| d.voteless)
    }

    /// Can no ballot name the seat?
    pub(crate) fn unvotable(&self, seat: SeatId) -> bool {
        self.flag(seat, |d| d.unvotable)
    }

    /// The weight of the seat's ballot in hundredths of a vote.
    pub fn vote_weight(&self, seat: SeatId) -> i32 {
        if self.flag(seat, |d| d.bewitches) {
            return 0;
        }
        let own = self.at(seat).weight.saturating_add(100);
        let weights = self.working(seat).map(|(_, def)| def.weight);
        weights.fold(own, i32::saturating_add).max(0)
    }

    // --- skills -----------------------------------------------------------------------------

    /// The window that is open.
    pub fn window(&self) -> Option<WindowId> {
        self.world.window
    }

    /// Is this the first night?
    pub fn first_night(&self) -> bool {
        self.world.phase
            == crate::phase::Phase {
                kind: PhaseKind::Night,
                number: 1,
            }
    }

    /// The number of the night or day the game stands in.
    pub fn number(&self) -> u16 {
        self.world.phase.number
    }

    /// The seat's holding of a skill: the first with uses left, else the first.
    pub fn held(&self, seat: SeatId, skill: SkillId) -> Option<Held> {
        let of = |h: &&Holding| h.skill == skill;
        let holdings = &self.at(seat).holdings;
        let holding = holdings
            .iter()
            .filter(of)
            .find(|h| h.left != Some(0))
            .or_else(|| holdings.iter().find(of))?;
        Some(Held {
            seat,
            holding: holding.id,
            skill,
        })
    }

    /// Why a seat cannot be chosen for the skill, as far as its holder may know; `None`: it can.
    pub fn not_choosable(&self, held: Held, target: SeatId) -> Option<NotChoosable> {
        let def = self.board.skill_def(held.skill);
        let choose = &def.choose;
        let announced = self.world.announced.has(target);
        match choose.whom {
            Whom::InPlay if announced => return Some(NotChoosable::Out),
            Whom::Out if !announced => return Some(NotChoosable::InPlay),
            _ => {}
        }
        if self.untargetable(target) {
            return Some(NotChoosable::Untargetable);
        }
        if target == held.seat {
            match choose.oneself {
                Oneself::Yes => {}
                Oneself::FirstNight if self.first_night() => {}
                Oneself::FirstNight | Oneself::No => return Some(NotChoosable::Oneself),
            }
        }
        if choose
            .not_faction
            .is_some_and(|f| self.at(target).dealt == f)
        {
            return Some(NotChoosable::OwnSide);
        }
        let holding = self.holding(held)?;
        if choose.not_twice_running
            && holding
                .last
                .is_some_and(|(night, seats)| night + 1 == self.number() && seats.has(target))
        {
            return Some(NotChoosable::TwiceRunning);
        }
        if choose.once_each && holding.ever.has(target) {
            return Some(NotChoosable::ChosenBefore);
        }
        if choose.not_state.is_some_and(|s| self.has_state(target, s)) {
            return Some(NotChoosable::NoMore);
        }
        None
    }

    /// Who can be chosen for the skill now, as far as its holder may know.
    pub fn range(&self, held: Held) -> SeatSet {
        let mut range: SeatSet = self
            .all()
            .filter(|s| self.not_choosable(held, *s).is_none())
            .collect();
        for intent in self.world.intents.iter().filter(|i| !i.vain) {
            let code = &self.board.skill_def(intent.skill).code;
            if let Some(limit) = code.limits(intent, held.skill) {
                range = range.and(limit);
            }
        }
        self.board
            .skill_def(held.skill)
            .code
            .narrow(self, held, range)
    }

    /// The skills that are open to the seat now (as far as it may know).
    pub fn open_skills(&self, seat: SeatId) -> Vec<Held> {
        let mut open = Vec::new();
        self.each_open(seat, |held| open.push(held));
        open
    }

    pub(crate) fn each_open(&self, seat: SeatId, mut visit: impl FnMut(Held)) {
        if self.kept.ending.is_some() || self.kept.paused.is_some() {
            return;
        }
        let mine = |r: &&Reaction| r.seat == seat && !self.knows_barred(seat, r.skill);
        for reaction in self.world.reactions.iter().filter(mine) {
            visit(Held {
                seat,
                holding: reaction.holding,
                skill: reaction.skill,
            });
        }
        let Some(window) = self.world.window else {
            return;
        };
        let me = self.at(seat);
        if me.out.is_some() && me.knows_out {
            return;
        }
        for holding in &me.holdings {
            let def = self.board.skill_def(holding.skill);
            if !matches!(def.usage, Usage::Sent | Usage::Immediate)
                || !def.windows.has(window)
                || holding.left == Some(0)
                || self.rests_until(holding).is_some()
            {
                continue;
            }
            let held = Held {
                seat,
                holding: holding.id,
                skill: holding.skill,
            };
            if !self.knows_barred(seat, holding.skill)
                && self.excluded_by(held).is_none()
                && def.code.open(self, held)
            {
                visit(held);
            }
        }
    }

    /// The night from which a skill that can only be used every so many nights can be used
    /// again; `None`: it does not rest now.
    pub(crate) fn rests_until(&self, holding: &Holding) -> Option<u16> {
        let every = self.board.skill_def(holding.skill).every;
        let (last, _) = holding.last.filter(|_| every > 0)?;
        let again = last.saturating_add(every);
        (self.number() < again).then_some(again)
    }

    /// How many seats the skill names now.
    pub fn seat_count(&self, held: Held) -> SeatCount {
        let def = self.board.skill_def(held.skill);
        def.code.seat_count(self, held, def.seats)
    }

    /// The skill of the same owner that excludes this one tonight.
    pub(crate) fn excluded_by(&self, held: Held) -> Option<SkillId> {
        let def = self.board.skill_def(held.skill);
        let night = self.number();
        def.excludes.iter().copied().find(|other| {
            self.world
                .intents
                .iter()
                .any(|i| i.seat == held.seat && i.skill == *other)
                || self
                    .at(held.seat)
                    .holdings
                    .iter()
                    .any(|h| h.skill == *other && h.last.is_some_and(|(n, _)| n == night))
        })
    }

    /// The open skills with their ranges, as `我` lists them.
    pub fn offers(&self, seat: SeatId) -> Vec<Offer> {
        self.open_skills(seat)
            .into_iter()
            .map(|held| {
                let mut reactions = self.world.reactions.iter();
                let asked = reactions.find(|r| (r.seat, r.holding) == (seat, held.holding));
                Offer {
                    held,
                    left: self.holding(held).and_then(|h| h.left),
                    range: (self.seat_count(held).max > 0).then(|| self.range(held)),
                    until: self.kept.deadline.max(asked.and_then(|r| r.until)),
                }
            })
            .collect()
    }

    /// The message that waits for this holding.
    pub fn intent_of(&self, held: Held) -> Option<&crate::world::Intent> {
        let for_all = self.sent_for_all(held.skill);
        self.world.intents.iter().find(|i| {
            i.skill == held.skill && (for_all || (i.seat == held.seat && i.holding == held.holding))
        })
    }

    /// Who still owes an action in the window that is open: every open skill that was neither
    /// sent nor declined, and cannot wait for another window. A team's skill is owed by its
    /// members until one has sent it.
    pub fn obligations(&self) -> Vec<Obligation> {
        let mut owed = Vec::new();
        for seat in self.all() {
            self.each_open(seat, |held| {
                if self.owes(held) {
                    owed.push(Obligation {
                        seat,
                        skill: held.skill,
                    });
                }
            });
        }
        owed
    }

    pub(crate) fn anything_owed(&self) -> bool {
        self.all().any(|seat| {
            let mut owed = false;
            self.each_open(seat, |held| {
                owed |= self.owes(held);
            });
            owed
        })
    }

    fn owes(&self, held: Held) -> bool {
        !self.board.skill_def(held.skill).unhurried
            && !self.world.declined.contains(&(held.seat, held.skill))
            && self.intent_of(held).is_none()
    }

    /// The later window of this phase in which the seat's skill opens, for a rehearsal that
    /// moves its clock to a player's turn.
    pub fn opens_later(&self, seat: SeatId, skill: SkillId) -> Option<WindowId> {
        let badge = self
            .board
            .sheriff
            .as_ref()
            .is_some_and(|s| s.skills.contains(&skill));
        if !badge {
            self.held(seat, skill)?;
        }
        let now = self.world.window?;
        let windows = self.board.skill_def(skill).windows;
        let mut later = self
            .board
            .windows_of(self.world.phase.kind)
            .filter(|w| *w > now);
        later.find(|w| {
            windows.has(*w)
                || (self.board.skill_def(skill).usage == Usage::Reaction
                    && self.board.windows[w.index()].kind == crate::board::WindowKind::Reactions)
        })
    }
}
