#!/bin/sh
# Creates the secrets of compose.yml. Keeps files that already have content.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets/agents
# The containers' users must read the files, so only the folder keeps other users out.
chmod 700 secrets
cd secrets
random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
# Empty files are written again, because a full disk can leave one.
keep() { [ -s "$1" ] || printf %s "$2" >"$1"; }
keep postgres_password "$(random 24)"
keep database_url "postgres://slash_agent:$(cat postgres_password)@postgres/slash_agent"
keep encryption_key "$(head -c 32 /dev/urandom | base64)"
keep runs_api_key "$(random 32)"
keep runs_service_keys "service:slash-agent:all=$(cat runs_api_key)"
# Both are on the pages of your Slack app.
keep slack_bot_token ''
keep slack_app_token ''
chmod 755 agents
find . -type f -exec chmod 644 {} +
echo "Next, put your Slack tokens into $PWD/slack_bot_token and $PWD/slack_app_token."
echo "Put agent keys into $PWD/agents: agents/anthropic is secrets/anthropic in environments.yml."
