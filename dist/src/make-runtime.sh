#!/bin/sh
# make-runtime.sh JAVA_HOME MODULES DIR: makes a Java of these modules, with its archive of classes, which newer
# versions of jlink would make by themselves.
set -eu
rm -rf "$3"
"$1/bin/jlink" --add-modules "$2" --output "$3" \
    --strip-debug --no-header-files --no-man-pages --compress=2
"$3/bin/java" -Xshare:dump -Xlog:disable -Xlog:all=error
