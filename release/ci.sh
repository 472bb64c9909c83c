#!/bin/sh
# Runs a scenario in CI, adds its report to the summary of the job, and compares it with a baseline. action.yml calls it;
# other CI systems can call it too. The exit code is that of `headcount run` or, if the run passed, of `headcount compare`.
#
# SCENARIO         the scenario
# TARGET           base URL of the system under test; empty: the scenario's
# ARGUMENTS        further arguments of `headcount run`, one per line
# OUT              folder for run.json, report.md, report.html and junit.xml [default: headcount-run]
# BASELINE         name of a baseline to compare with; empty, or not saved yet: no comparison
# BASELINES        folder of the baselines [default: headcount-baselines]
# SAVE_BASELINE    "true": adds the run to the baseline if it passed and the comparison did not fail
# FAIL_IF          conditions of `headcount compare --fail-if`, one per line
# ALLOW_DIFFERENT  what may differ from the baseline, one per line, such as "machine"
set -u
: "${SCENARIO:?is the path of the scenario}"
OUT=${OUT:-headcount-run}
BASELINE=${BASELINE:-}
if [ -e "$OUT/run.json" ]; then
    echo "$OUT already contains a run: choose another folder, or remove it" >&2
    exit 2
fi
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
baselines=${BASELINES:-headcount-baselines}

# Appends the lines of $2 to the arguments in `arguments`, each after the option $1, quoted for `eval`.
arguments=
add() {
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        quoted=$(printf %s "$line" | sed "s/'/'\\\\''/g")
        arguments="$arguments $1 '$quoted'"
    done <<LINES
$2
LINES
}

add '' "${ARGUMENTS:-}"
eval "headcount run \"\$SCENARIO\" ${TARGET:+--target \"\$TARGET\"} --out \"\$OUT\" --quiet $arguments"
code=$?
if [ -f "$OUT/run.json" ]; then
    headcount report "$OUT" --format markdown >> "$summary"
    headcount report "$OUT" --format junit > "$OUT/junit.xml"
    if [ -n "$BASELINE" ] && [ -d "$baselines/$BASELINE" ]; then
        arguments=
        add --fail-if "${FAIL_IF:-}"
        add --allow-different "${ALLOW_DIFFERENT:-}"
        eval "headcount compare --baselines \"\$baselines\" --baseline \"\$BASELINE\" \"\$OUT\" --format markdown \
            --allow-inconclusive $arguments" > "$OUT/compared.md" 2>&1
        compared=$?
        cat "$OUT/compared.md"
        cat "$OUT/compared.md" >> "$summary"
        [ "$code" -ne 0 ] || code=$compared
    fi
    if [ "${SAVE_BASELINE:-}" = true ] && [ -n "$BASELINE" ] && [ "$code" -eq 0 ]; then
        headcount baseline --baselines "$baselines" save "$BASELINE" "$OUT" || code=$?
    fi
fi
exit "$code"
