use crate::types::words::words;

words! {
    /// The party on whose behalf a trade is changed.
    Party {
        /// The user who posted the request.
        Buyer = "buyer",
        /// The user who made the offer.
        Seller = "seller",
        /// A user who resolves disputes.
        Admin = "admin",
        /// The clock makes changes when a deadline has passed.
        Clock = "clock",
        /// The payment provider.
        Provider = "provider",
        /// The marketplace itself makes changes that follow from a change to another part of the trade.
        Market = "market",
    }
}

/// A row of a state table. In state `from`, the parties `by` may perform `action`, which leads to state `to`.
#[derive(Debug)]
pub(crate) struct Rule<S, A> {
    pub(super) from: S,
    pub(super) action: A,
    pub(super) by: &'static [Party],
    pub(super) to: S,
}

/// Creates a row. The name is short to keep the tables readable.
pub(super) const fn rule<S, A>(from: S, action: A, by: &'static [Party], to: S) -> Rule<S, A> {
    Rule {
        from,
        action,
        by,
        to,
    }
}

/// A type of state with a table of allowed actions.
pub(crate) trait Stateful: Copy + Eq + 'static {
    /// The type of the actions.
    type Action: Copy + Eq + 'static;
    /// The name of what has the state, for example of an offer.
    const SUBJECT: &'static str;
    /// The table.
    const RULES: &'static [Rule<Self, Self::Action>];

    /// The name of the state.
    fn word(self) -> &'static str;
    /// The name of the action.
    fn action(action: Self::Action) -> &'static str;

    /// Returns the state to which `action` by `party` leads.
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

    /// Describes the refusal of the first of `actions`, which the table allows but another rule forbids.
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

    /// The actions that `party` may perform now.
    fn allowed(self, party: Party) -> Vec<&'static str> {
        let mine = Self::RULES
            .iter()
            .filter(|rule| rule.from == self && rule.by.contains(&party));
        mine.map(|rule| Self::action(rule.action)).collect()
    }
}

/// An action that the state does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Illegal {
    pub(crate) subject: &'static str,
    pub(crate) state: &'static str,
    pub(crate) action: &'static str,
    /// Whether other parties may perform the action in this state.
    pub(crate) by_others: bool,
    /// The actions that the party may perform instead.
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
