#!/bin/sh
# Fills the folder of real hosts that the whole-system tests run: one npm prefix per host, so that
# the hosts cannot disturb each other's dependencies. What is there in the right version is left alone.
#
#   install.sh claude-code codex gemini-cli     these hosts
#   install.sh --all                            every host of versions.txt
#   install.sh --check [HOST...]                install nothing; fail if one is missing or of another version
#
# The folder is $REMORA_TEST_HOSTS, else remora-test-hosts in the user's cache folder.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
versions=$here/versions.txt
folder=${REMORA_TEST_HOSTS:-${XDG_CACHE_HOME:-$HOME/.cache}/remora-test-hosts}

listed() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$versions"; }
known() { listed | awk '{ printf "%s ", $1 }'; }

usage() {
    echo "usage: install.sh [--check] --all | HOST..." >&2
    echo "hosts: $(known)" >&2
    exit 2
}

# Installs one host beside its final place and moves it there whole, so that an interrupted
# download never looks like a host.
install_one() {
    host=$1 package=$2 version=$3
    new=$folder/.$host.new.$$
    rm -rf "$new"
    mkdir -p "$new"
    echo '{"private":true}' >"$new/package.json"
    echo "$host: installing $package $version" >&2
    if ! npm install --prefix "$new" --no-fund --no-audit --no-update-notifier --loglevel=error \
        "$package@$version" >"$new/install.log" 2>&1; then
        tail -n 20 "$new/install.log" >&2
        rm -rf "$new"
        echo "$host: npm could not install $package $version" >&2
        return 1
    fi
    echo "$package@$version" >"$new/version"
    rm -rf "${folder:?}/$host"
    mv "$new" "$folder/$host"
}

check=no
hosts=
[ $# -gt 0 ] || usage
for word in "$@"; do
    case $word in
    --all) hosts=$(known) ;;
    --check) check=yes ;;
    -*) usage ;;
    *)
        case " $(known)" in
        *" $word "*) hosts="$hosts $word" ;;
        *) echo "unknown host: $word" >&2 && usage ;;
        esac
        ;;
    esac
done
[ -n "$hosts" ] || usage

mkdir -p "$folder"
# Two runs at once would move each other's folders; the second one waits.
if [ "$check" = no ] && command -v flock >/dev/null 2>&1; then
    exec 9>"$folder/.lock"
    flock 9
fi

failed=no
for host in $hosts; do
    line=$(listed | awk -v host="$host" '$1 == host')
    package=$(echo "$line" | awk '{ print $2 }')
    version=$(echo "$line" | awk '{ print $3 }')
    there=$(cat "$folder/$host/version" 2>/dev/null || true)
    if [ "$there" = "$package@$version" ]; then
        echo "$host: $version is there"
    elif [ "$check" = yes ]; then
        echo "$host: ${there:-nothing} is there, $package@$version is wanted"
        failed=yes
    elif install_one "$host" "$package" "$version"; then
        echo "$host: $version installed"
    else
        failed=yes
    fi
done
[ "$failed" = no ]
