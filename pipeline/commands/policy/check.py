"""`cryptonym policy check`: what happens to every label and column."""

import argparse
from pathlib import Path

from pipeline.commands.options.output import add_json, print_json
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.policies import build_policy, read_language, read_policy
from pipeline.config.policy_description import describe_policy, format_policy
from pipeline.reports.console import Console
from record.algorithms import ALGORITHM
from record.languages import LANGUAGES

DESCRIPTION = """\
Validates a policy and shows how every label and column is treated.
"""
EXAMPLES = """\
examples:
  cryptonym policy check
  cryptonym policy check gdpr-research
  cryptonym policy check nightly.toml --json

Bundled policies: gdpr-research, hipaa-limited, hipaa-safe-harbor, mask-only, synthetic-source.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `policy check`."""
    parser.add_argument(
        "policy", nargs="?", metavar="POLICY",
        help="bundled policy, policy file or nightly.toml (default: replace everything)",
    )  # fmt: skip
    parser.add_argument(
        "--lang", choices=LANGUAGES,
        help="language, where the policy names none (default: that of nightly.toml, else fr)",
    )  # fmt: skip
    add_json(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Check and show; returns the exit code."""
    table, lang = {}, None
    if options.policy is not None:
        table = read_policy(options.policy, Path())
        lang = read_language(options.policy, Path())
    # Defaults that the version decides are shown as those of new cohorts.
    policy = build_policy(table, options.lang or lang or "fr").under(ALGORITHM)
    print_json(describe_policy(policy), options)
    console.say(format_policy(policy))
    return EXIT_DONE
