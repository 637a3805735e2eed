//! Kinds of harm.

/// Kinds of harm, weakest first, as bits of [`Harms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Harm {
    /// 指杀, a wound.
    Strike,
    /// 穿透.
    Pierce,
    /// 暴击.
    Crit,
    /// 致死伤害.
    Fatal,
    /// 投票出局.
    Vote,
    /// 红牌罚下: nothing stops it.
    SentOff,
    /// The director's word (裁定 出局): nothing stops it.
    Ruling,
    /// 自爆: one's own deed, which nothing stops (F5).
    Blast,
}

impl Harm {
    /// Every kind, weakest first.
    pub const ALL: [Self; 8] = [
        Self::Strike,
        Self::Pierce,
        Self::Crit,
        Self::Fatal,
        Self::Vote,
        Self::SentOff,
        Self::Ruling,
        Self::Blast,
    ];

    /// Is it harm that nothing stops, and that comes before all other?
    pub fn is_final(self) -> bool {
        matches!(self, Self::SentOff | Self::Ruling | Self::Blast)
    }

    /// The kind that a board file's word names; cards and rulings have none.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "strike" => Some(Self::Strike),
            "pierce" => Some(Self::Pierce),
            "crit" => Some(Self::Crit),
            "fatal" => Some(Self::Fatal),
            "vote" => Some(Self::Vote),
            "blast" => Some(Self::Blast),
            _ => None,
        }
    }
}

/// A set of kinds of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Harms(u8);

impl Harms {
    /// No harm.
    pub const NONE: Self = Self(0);

    /// Every kind.
    pub fn all() -> Self {
        Harm::ALL.into_iter().collect()
    }

    /// Is this kind in it?
    pub fn has(self, harm: Harm) -> bool {
        self.0 >> harm as u8 & 1 == 1
    }

    /// This set and one more kind.
    #[must_use]
    pub fn with(self, harm: Harm) -> Self {
        Self(self.0 | 1 << harm as u8)
    }
}

impl FromIterator<Harm> for Harms {
    fn from_iter<I: IntoIterator<Item = Harm>>(harms: I) -> Self {
        harms.into_iter().fold(Self::NONE, Self::with)
    }
}
