#!/bin/sh
# Builds Remora from this source tree, installs it, and wires up the coding agents on this machine.
# Nothing of yours is written before you have seen it and said yes.
# shellcheck disable=SC2016 # backticks in messages mark what can be typed
set -eu

usage() {
    cat <<'END'
usage: install/install.sh [HOST...] [--yes] [--dry-run] [--root DIR] [--no-start]

  HOST        the hosts to wire up, for example claude-code; without any: those found here
  --yes       do not ask
  --dry-run   build the command, show what would be written, write nothing
  --root DIR  the data root, instead of the usual one
  --no-start  do not leave the engine running, and do not try the hooks out
END
}

say() {
    printf '%s\n' "$*"
}

die() {
    status=$1
    shift
    printf 'install.sh: %s\n' "$1" >&2
    shift
    for line; do printf '  %s\n' "$line" >&2; done
    exit "$status"
}

source=$(cd "$(dirname "$0")/.." && pwd)

hosts='' yes='' dry_run='' root='' start=yes
while [ $# -gt 0 ]; do
    case $1 in
        --yes | -y) yes=yes ;;
        --dry-run) dry_run=yes ;;
        --no-start) start='' ;;
        --root)
            [ $# -ge 2 ] || die 2 '--root needs a folder'
            root=$2
            shift
            ;;
        --root=*) root=${1#--root=} ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && die 2 "unknown option $1" ;;
        *) hosts="$hosts $1" ;;
    esac
    shift
done

# Before the long build, not after it.
if [ -z "$yes$dry_run" ] && [ ! -t 0 ]; then
    die 2 'this changes files, and there is no terminal to ask at' \
        '--yes does it, --dry-run shows it'
fi

if [ -z "$root" ]; then
    if [ -n "${REMORA_HOME:-}" ]; then
        root=$REMORA_HOME
    elif [ -z "${HOME:-}" ]; then
        die 2 'there is no home folder' 'name a data root with --root DIR'
    elif [ "$(uname -s)" = Darwin ]; then
        root="$HOME/Library/Application Support/remora"
    else
        case ${XDG_DATA_HOME:-} in
            /*) root=$XDG_DATA_HOME/remora ;;
            *) root=$HOME/.local/share/remora ;;
        esac
    fi
fi
case $root in
    /*) ;;
    *) root=$(pwd)/$root ;;
esac

# What building takes.
if ! command -v cargo >/dev/null 2>&1 && [ -x "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    export PATH
fi
command -v cargo >/dev/null 2>&1 || die 1 'cargo was not found, and building needs it' \
    'install Rust, for example from https://rustup.rs, then run this again'
needed=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$source/Cargo.toml")
has=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9]*\.[0-9]*\).*/\1/p')
[ -n "$has" ] || die 1 'rustc does not run, and building needs it' 'run `rustc --version` to see why'
older=$(printf '%s\n%s\n' "$needed" "$has" | sort -t . -k 1,1n -k 2,2n | head -n 1)
if [ "$older" != "$needed" ]; then
    die 1 "Rust $has is too old: Remora needs $needed" 'run `rustup update`, then run this again'
fi
for compiler in ${CC:-cc gcc clang}; do
    if command -v "$compiler" >/dev/null 2>&1; then
        found_compiler=$compiler
        break
    fi
done
[ -n "${found_compiler:-}" ] || die 1 'a C compiler was not found, and the database needs one' \
    'Debian and Ubuntu: apt install build-essential' \
    'Fedora: dnf install gcc' \
    'macOS: xcode-select --install'

cd "$source"
dist=${CARGO_TARGET_DIR:-target}/dist/bin

say 'Building the command. The first time takes 2 to 5 minutes on two cores, later times seconds.'
install/build.sh

# "host" comes first in each host's object, and "found" is its own key.
if [ -z "$hosts" ]; then
    hosts=$("$dist/remora" --root "$root" hosts --json | tr -d ' \n' | sed 's/{"host":/\
&/g' | sed -n 's/^{"host":"\([a-z0-9-]*\)".*"found":true.*/\1/p')
    named=''
else
    named=yes
fi
wired=''
for host in $hosts; do
    if [ -f "adapters/$host/Cargo.toml" ]; then
        wired="$wired $host"
    elif [ -n "$named" ]; then
        die 2 "there is no adapter for $host"
    else
        say "$host is here, but this version has no adapter for it yet."
    fi
done

if [ -n "$dry_run" ]; then
    if [ -z "$wired" ]; then
        say "No coding agent was found here. The programs would go to $root/bin; nothing else would be written."
    else
        say "The programs would go to $root/bin. What would be written besides:"
        # shellcheck disable=SC2086 # host ids have no spaces
        "$dist/remora" --root "$root" install --dry-run $wired
    fi
    exit 0
fi

if [ -n "$wired" ]; then
    say "Building the hooks of:$wired. This takes up to a minute."
    # shellcheck disable=SC2086
    install/build.sh --hooks $wired
    built=$wired
else
    say 'No coding agent was found here. Building the hooks of all hosts, so that the demo can show them.'
    install/build.sh --hooks --all
    built=$(for manifest in adapters/*/Cargo.toml; do basename "$(dirname "$manifest")"; done)
fi

# A program that runs can be renamed over, not written to.
put() {
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.new"
    chmod 755 "$2.new"
    mv -f "$2.new" "$2"
}
(umask 077 && mkdir -p "$root")
put "$dist/remora" "$root/bin/remora"
for host in $built; do
    for file in "$dist/$host"/*; do
        [ -f "$file" ] || continue
        put "$file" "$root/bin/$host/${file##*/}"
    done
done
remora=$root/bin/remora

if [ -n "$wired" ]; then
    # It shows what it will write and asks, unless it was told not to.
    # shellcheck disable=SC2086
    if ! "$remora" --root "$root" install ${yes:+--yes} $wired; then
        die 1 'the hosts were not wired up' "the programs are in $root/bin; nothing calls them" \
            "\`$remora install\` tries again"
    fi
    # Entries come first, executables that they no longer name go last.
    for host in $wired; do
        for file in "$root/bin/$host"/*; do
            [ -e "$dist/$host/${file##*/}" ] || rm -f "$file"
        done
    done
fi

if [ -z "$start" ]; then
    "$remora" --root "$root" engine stop >/dev/null 2>&1 || true
elif [ -n "$wired" ]; then
    say
    "$remora" --root "$root" doctor --prove || die 1 'the doctor found something' \
        "\`$remora doctor\` looks again"
fi

say
say "Installed in $root"
if [ "$(command -v remora 2>/dev/null)" != "$remora" ]; then
    say "  To type \`remora\`: ln -s '$remora' ~/.local/bin/remora (or another folder of your PATH)"
fi
if [ -n "$wired" ]; then
    say "  Wired up:$wired. The next session you start there remembers."
    say "  \`remora status\` shows what it knows, \`remora uninstall\` takes it out again."
else
    say '  No coding agent was found, so nothing was wired up.'
    say '  `remora demo` shows what Remora does; `remora install HOST` wires one up later.'
fi
