//! What a player does with an open skill: at random, but not against one's own side. A player
//! knows the rules of the board as everybody does; a skill of another board is used on someone.

use std::collections::BTreeSet;

use super::dice::Dice;
use super::reading::OpenSkill;

/// What the player knows when choosing.
pub(super) struct Knowledge<'a> {
    /// The player's own dice.
    pub(super) dice: &'a Dice,
    /// Which part of the game it is; the same choice is made once in it.
    pub(super) when: &'a str,
    /// Which night it is, from 1; 0 before the first.
    pub(super) night: u32,
    /// The player.
    pub(super) me: &'a str,
    /// Those on the player's side.
    pub(super) mates: &'a BTreeSet<String>,
    /// Those whose faction the player has seen.
    pub(super) checked: &'a BTreeSet<String>,
    /// Who is struck tonight.
    pub(super) struck: &'a [String],
    /// Has a mate already chosen for a shared skill?
    pub(super) mate_chose: bool,
    /// The one whom the player trusts least.
    pub(super) suspect: Option<&'a str>,
    /// All open skills.
    pub(super) open: &'a [OpenSkill],
}

/// What is done with a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// Used, with this behind its name.
    Use(String),
    /// Not used, and that is said.
    Decline,
    /// Left alone.
    Leave,
}

/// Decides about one open skill.
pub(super) fn choose(skill: &OpenSkill, know: &Knowledge<'_>) -> Choice {
    let chance = |probability| {
        know.dice
            .chance(&format!("{}/{}", know.when, skill.name), probability)
    };
    match skill.name.as_str() {
        "杀人" if know.mate_chose => Choice::Leave,
        "杀人" => on(know.one_of(skill, Side::Others)),
        "冲锋" if chance(0.12) => on(know.one_of(skill, Side::Others)),
        "报复" | "最后一枪" if chance(0.85) => on(know.suspected(skill)),
        "预言" | "恶魔之眼" => on(know.unchecked(skill)),
        "荣光庇护" if chance(0.85) => on(know.one_of(skill, Side::Anyone)),
        "荣光审判" if know.night > 1 && chance(0.2) => on(know.suspected(skill)),
        "救药" => match know.struck.iter().find(|name| can_choose(skill, name)) {
            Some(struck) if saves(know) => Choice::Use(struck.clone()),
            _ => Choice::Decline,
        },
        "毒药" if know.saving() => Choice::Leave,
        "毒药" if know.night > 1 && chance(0.25) => on(know.suspected(skill)),
        "保护图腾" if chance(0.9) => on(know.one_of(skill, Side::Anyone)),
        "诱饵图腾" if chance(0.35) => on(know.one_of(skill, Side::Others)),
        "冲锋" | "报复" | "最后一枪" | "荣光庇护" | "荣光审判" | "毒药" | "保护图腾"
        | "诱饵图腾" => Choice::Decline,
        "模式选择" => Choice::Use(
            if chance(0.5) {
                "保护图腾"
            } else {
                "诱饵图腾"
            }
            .to_owned(),
        ),
        "殉职" if know.passes_badge() => on(know.one_of(skill, Side::Anyone)),
        "撕警徽" if know.is_open("殉职") && know.passes_badge() => Choice::Leave,
        "撕警徽" => Choice::Use(String::new()),
        "殉职" => Choice::Leave,
        _ if chance(0.6) => on(know.one_of(skill, Side::Others)),
        _ => Choice::Decline,
    }
}

/// Whom a skill is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Neither the player nor a mate.
    Others,
    /// Anybody.
    Anyone,
}

fn on(target: Option<String>) -> Choice {
    target.map_or(Choice::Decline, Choice::Use)
}

fn can_choose(skill: &OpenSkill, name: &str) -> bool {
    skill
        .choices
        .as_ref()
        .is_some_and(|choices| choices.iter().any(|choice| choice == name))
}

/// Does the witch use the antidote tonight?
fn saves(know: &Knowledge<'_>) -> bool {
    know.dice.chance(&format!("{}/saves", know.when), 0.6)
}

impl Knowledge<'_> {
    fn is_open(&self, skill: &str) -> bool {
        self.open.iter().any(|open| open.name == skill)
    }

    /// Is the antidote used tonight? Then the poison cannot be.
    fn saving(&self) -> bool {
        let antidote = self.open.iter().find(|open| open.name == "救药");
        antidote.is_some_and(|skill| matches!(choose(skill, self), Choice::Use(_)))
    }

    fn passes_badge(&self) -> bool {
        self.dice.chance(&format!("{}/badge", self.when), 0.85)
    }

    /// Someone of a side. A player whose mates alone are left to choose among takes nobody.
    fn one_of(&self, skill: &OpenSkill, side: Side) -> Option<String> {
        let fits = |name: &&String| {
            side == Side::Anyone || (*name != self.me && !self.mates.contains(*name))
        };
        let fitting: Vec<&String> = skill.choices.iter().flatten().filter(fits).collect();
        let throw = format!("{}/{}/whom", self.when, skill.name);
        self.dice.pick(&throw, &fitting).map(|name| (*name).clone())
    }

    fn unchecked(&self, skill: &OpenSkill) -> Option<String> {
        let choices = skill.choices.as_ref()?;
        let new: Vec<String> = choices
            .iter()
            .filter(|name| !self.checked.contains(*name))
            .cloned()
            .collect();
        let narrowed = OpenSkill {
            name: skill.name.clone(),
            choices: Some(new),
        };
        self.one_of(&narrowed, Side::Others)
            .or_else(|| self.one_of(skill, Side::Others))
    }

    fn suspected(&self, skill: &OpenSkill) -> Option<String> {
        let suspect = self
            .suspect
            .filter(|name| can_choose(skill, name))
            .map(str::to_owned);
        suspect.or_else(|| self.one_of(skill, Side::Others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(name: &str, choices: &[&str]) -> OpenSkill {
        let choices = choices.iter().map(|name| (*name).to_owned()).collect();
        OpenSkill {
            name: name.to_owned(),
            choices: Some(choices),
        }
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// What is chosen by forty players who know the same.
    fn choices(open: &[OpenSkill], of: usize, night: u32, struck: &[String]) -> Vec<Choice> {
        let (mates, checked) = (set(&["乙"]), set(&["丙"]));
        (0..40)
            .map(|seed| {
                let dice = Dice::new(seed, "甲");
                let know = Knowledge {
                    dice: &dice,
                    when: "夜",
                    night,
                    me: "甲",
                    mates: &mates,
                    checked: &checked,
                    struck,
                    mate_chose: false,
                    suspect: Some("丁"),
                    open,
                };
                choose(&open[of], &know)
            })
            .collect()
    }

    #[test]
    fn nobody_turns_on_their_own_side() {
        let everybody = ["甲", "乙", "丙", "丁", "戊"];
        for name in ["杀人", "冲锋", "预言", "别的技能"] {
            let chosen = choices(&[skill(name, &everybody)], 0, 2, &[]);
            for own in ["甲", "乙"] {
                assert!(
                    !chosen.contains(&Choice::Use(own.to_owned())),
                    "{name} {own}"
                );
            }
        }
        assert_eq!(
            choices(&[skill("杀人", &["乙"])], 0, 2, &[])[0],
            Choice::Decline
        );
    }

    #[test]
    fn who_was_checked_is_not_checked_again() {
        let chosen = choices(&[skill("预言", &["丙", "丁"])], 0, 2, &[]);
        assert!(
            chosen
                .iter()
                .all(|choice| *choice == Choice::Use("丁".to_owned()))
        );
    }

    #[test]
    fn the_witch_never_uses_both_potions_in_one_night() {
        let open = [skill("救药", &["戊", "丁"]), skill("毒药", &["丁", "戊"])];
        let struck = ["戊".to_owned()];
        let (saved, poisoned) = (choices(&open, 0, 2, &struck), choices(&open, 1, 2, &struck));
        assert!(saved.contains(&Choice::Use("戊".to_owned())) && saved.contains(&Choice::Decline));
        assert!(
            poisoned
                .iter()
                .any(|choice| matches!(choice, Choice::Use(_)))
        );
        for (save, poison) in saved.iter().zip(&poisoned) {
            assert!(!matches!(
                (save, poison),
                (Choice::Use(_), Choice::Use(_) | Choice::Decline)
            ));
        }
        assert!(
            choices(&open, 0, 2, &[])
                .iter()
                .all(|choice| *choice == Choice::Decline)
        );
    }

    #[test]
    fn the_badge_is_passed_on_or_torn_but_not_both() {
        let tear = OpenSkill {
            name: "撕警徽".to_owned(),
            choices: None,
        };
        let open = [skill("殉职", &["丙", "丁"]), tear];
        let (passed, torn) = (choices(&open, 0, 1, &[]), choices(&open, 1, 1, &[]));
        for pair in passed.iter().zip(&torn) {
            match pair {
                (Choice::Use(_), Choice::Leave) => {}
                (Choice::Leave, Choice::Use(nothing)) => assert!(nothing.is_empty()),
                other => panic!("{other:?}"),
            }
        }
        assert!(torn.contains(&Choice::Leave) && torn.contains(&Choice::Use(String::new())));
    }
}
