#!/bin/sh
# Puts a complete installation into `dist` of the target folder:
#   dist/bin/remora            the command and the engine, profile `release`
#   dist/bin/<host>/<event>    one executable per hook, profile `hook`
# install.sh, the tests and the archives all take it from there.
set -eu

usage() {
    cat <<'END'
usage: install/build.sh [HOST...] [--all] [--sizes] [--dev]

  HOST      the hosts whose hook executables are built, for example claude-code;
            without any only the command is built
  --all     the hook executables of every host
  --hooks   hook executables only, not the command
  --sizes   print what was built with its size in bytes
  --dev     the quick profile `dev` instead of `release` and `hook`
END
}

die() {
    echo "build.sh: $1" >&2
    exit "${2:-1}"
}

cd "$(dirname "$0")/.."

hosts='' all='' sizes='' dev='' command=yes
for argument; do
    case $argument in
        --all) all=yes ;;
        --hooks) command='' ;;
        --sizes) sizes=yes ;;
        --dev) dev=yes ;;
        -h | --help) usage && exit 0 ;;
        -*) usage >&2 && die "unknown option $argument" 2 ;;
        *) hosts="$hosts $argument" ;;
    esac
done

# Every crate in adapters/ that has hook executables is an adapter. Host ids have no spaces. The executable of a host
# whose plugin starts the same one for every event has no event in its name, and is installed as `hook`.
executables_of() {
    sed -n -e "s/^name = \"remora-$1-\\([a-z0-9-]*\\)\"\$/\\1/p" \
        -e "/^\\[\\[bin\\]\\]/,/^\$/s/^name = \"remora-$1\"\$/hook/p" "adapters/$1/Cargo.toml"
}
known=''
for manifest in adapters/*/Cargo.toml; do
    host=$(basename "$(dirname "$manifest")")
    if [ -f "$manifest" ] && [ -n "$(executables_of "$host")" ]; then known="$known $host"; fi
done
if [ -n "$all" ]; then hosts=$known; fi
for host in $hosts; do
    case " $known " in
        *" $host "*) ;;
        *) die "there is no adapter for $host; there are:$known" 2 ;;
    esac
done

# Cargo is told where to build, so that a configuration of the person's does not move it.
target=${CARGO_TARGET_DIR:-target}
case $target in
    /*) ;;
    *) target=$(pwd)/$target ;;
esac
CARGO_TARGET_DIR=$target
export CARGO_TARGET_DIR
dist=$target/dist/bin
mkdir -p "$dist"

# A name that appears is complete: a copy under another name is renamed.
put() {
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.new"
    chmod 755 "$2.new"
    mv -f "$2.new" "$2"
}

if [ -n "$command" ]; then
    if [ -n "$dev" ]; then
        cargo build --locked -p remora --bin remora
        put "$target/debug/remora" "$dist/remora"
    else
        cargo build --locked --release -p remora --bin remora
        put "$target/release/remora" "$dist/remora"
    fi
fi

if [ -n "$hosts" ]; then
    set -- build --locked --bins
    for host in $hosts; do set -- "$@" -p "remora-$host"; done
    if [ -n "$dev" ]; then
        built=$target/debug
    else
        built=$target/hook
        set -- "$@" --profile hook
    fi
    cargo "$@"
    for host in $hosts; do
        # What a host no longer has shall not linger.
        rm -rf "${dist:?}/$host"
        for event in $(executables_of "$host"); do
            case $event in
                hook) put "$built/remora-$host" "$dist/$host/$event" ;;
                *) put "$built/remora-$host-$event" "$dist/$host/$event" ;;
            esac
        done
    done
fi

if [ -n "$sizes" ]; then
    (cd "$target/dist" && find bin -type f | sort | while read -r file; do
        printf '%10d  %s\n' "$(wc -c <"$file")" "$file"
    done)
fi
