use crate::types::words::words;

words! {
    /// On whose behalf something is done to a trade.
    Party {
        /// Who asked.
        Buyer = "buyer",
        /// Who offered.
        Seller = "seller",
        /// Who settles disputes.
        Admin = "admin",
        /// A time that is over.
        Clock = "clock",
        /// Who moves money.
        Provider = "provider",
        /// What follows from something done to another part of the trade.
        Market = "market",
    }
}

/// One line of a table: in this state, this may be done by these, and leads there.
#[derive(Debug)]
pub(crate) struct Rule<S, A> {
    pub(super) from: S,
    pub(super) action: A,
    pub(super) by: &'static [Party],
    pub(super) to: S,
}

/// A line, as short as a table needs it.
pub(super) const fn rule<S, A>(from: S, action: A, by: &'static [Party], to: S) -> Rule<S, A> {
    Rule {
        from,
        action,
        by,
        to,
    }
}

/// A state that a table governs.
pub(crate) trait Stateful: Copy + Eq + 'static {
    /// What may be done.
    type Action: Copy + Eq + 'static;
    /// What it is a state of.
    const SUBJECT: &'static str;
    /// The table.
    const RULES: &'static [Rule<Self, Self::Action>];

    /// The state's word.
    fn word(self) -> &'static str;
    /// The action's word.
    fn action(action: Self::Action) -> &'static str;

    /// Where `action` by `party` leads.
    fn step(self, action: Self::Action, party: Party) -> Result<Self, Illegal> {
        let lines = || {
            Self::RULES
                .iter()
                .filter(move |rule| rule.from == self && rule.action == action)
        };
        if let Some(rule) = lines().find(|rule| rule.by.contains(&party)) {
            return Ok(rule.to);
        }
        Err(Illegal {
            subject: Self::SUBJECT,
            state: self.word(),
            action: Self::action(action),
            by_others: lines().next().is_some(),
            allowed: self.allowed(party),
        })
    }

    /// How it stands where the table lets `actions` pass and something else forbids them.
    fn forbidden(self, actions: &[Self::Action], party: Party) -> Illegal {
        let words: Vec<&str> = actions.iter().map(|action| Self::action(*action)).collect();
        let mut allowed = self.allowed(party);
        allowed.retain(|word| !words.contains(word));
        Illegal {
            subject: Self::SUBJECT,
            state: self.word(),
            action: words.first().copied().unwrap_or_default(),
            by_others: false,
            allowed,
        }
    }

    /// What `party` may do now.
    fn allowed(self, party: Party) -> Vec<&'static str> {
        let mine = Self::RULES
            .iter()
            .filter(|rule| rule.from == self && rule.by.contains(&party));
        mine.map(|rule| Self::action(rule.action)).collect()
    }
}

/// A step that no line of the table allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Illegal {
    pub(crate) subject: &'static str,
    pub(crate) state: &'static str,
    pub(crate) action: &'static str,
    /// Others may do it in this state.
    pub(crate) by_others: bool,
    /// What this party may do instead.
    pub(crate) allowed: Vec<&'static str>,
}

#[cfg(test)]
pub(super) fn assert_sound<S: Stateful + std::fmt::Debug>(states: &[S], first: S) {
    for (n, rule) in S::RULES.iter().enumerate() {
        for other in &S::RULES[..n] {
            let twice = other.from == rule.from
                && other.action == rule.action
                && other.by.iter().any(|party| rule.by.contains(party));
            assert!(
                !twice,
                "two lines for one step: {:?} {}",
                rule.from,
                S::action(rule.action)
            );
        }
    }
    for state in states {
        let reached = *state == first || S::RULES.iter().any(|rule| rule.to == *state);
        assert!(reached, "nothing leads to {state:?}");
    }
}
