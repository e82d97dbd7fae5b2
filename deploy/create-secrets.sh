#!/bin/sh
# Writes the secrets of compose.yml that nobody has to choose. Existing files stay.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets/agents
# The containers read the files as users of their own, so the folder keeps others out.
chmod 700 secrets
cd secrets
random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
# A file that a full disk left empty is written again.
keep() { [ -s "$1" ] || printf %s "$2" >"$1"; }
keep postgres_password "$(random 24)"
keep database_url "postgres://slash_agent:$(cat postgres_password)@postgres/slash_agent"
keep encryption_key "$(head -c 32 /dev/urandom | base64)"
keep runs_api_key "$(random 32)"
keep runs_service_keys "service:slash-agent:all=$(cat runs_api_key)"
# From the pages of your Slack app.
keep slack_bot_token ''
keep slack_app_token ''
chmod 755 agents
find . -type f -exec chmod 644 {} +
echo "Now put your tokens into $PWD/slack_bot_token and $PWD/slack_app_token."
echo "Keys of agents go into $PWD/agents, for example agents/anthropic for secrets/anthropic in environments.yml."
