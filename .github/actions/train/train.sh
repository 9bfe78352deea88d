#!/usr/bin/env bash
# Trains $SPEC, writes the report to the job's summary, and comments it on pull request $PULL_REQUEST, if there is one.
set -uo pipefail
run="${RUNNER_TEMP:-/tmp}/pliant-run"
report="${RUNNER_TEMP:-/tmp}/pliant-report.md"

# Options are split at blanks on purpose.
# shellcheck disable=SC2086
npx --yes "pliant@$VERSION" train "$SPEC" --out "$run" --force ${OPTIONS:-}
exit=$?
{
  echo "run=$run"
  echo "exit=$exit"
} >>"$GITHUB_OUTPUT"
# 0: every hard requirement holds; 1: one is violated. Otherwise there is no report.
if [ "$exit" -gt 1 ]; then exit "$exit"; fi

{
  echo "### Pliant: \`$SPEC\`"
  echo
  echo '```text'
  npx --yes "pliant@$VERSION" report "$run" || true
  echo '```'
} >"$report"
cat "$report" >>"$GITHUB_STEP_SUMMARY"
if [ "${COMMENT:-true}" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
  gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$report" --edit-last --create-if-none ||
    echo "The report could not be commented; does the job have the permission pull-requests: write?" >&2
fi
exit "$exit"
