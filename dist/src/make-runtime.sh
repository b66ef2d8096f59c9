#!/bin/sh
# make-runtime.sh JAVA_HOME MODULES DIR: creates a Java runtime of these modules, with a class data archive, which newer
# versions of jlink create automatically.
set -eu
rm -rf "$3"
"$1/bin/jlink" --add-modules "$2" --output "$3" \
    --strip-debug --no-header-files --no-man-pages --compress=2
"$3/bin/java" -Xshare:dump -Xlog:disable -Xlog:all=error
