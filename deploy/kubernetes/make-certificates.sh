#!/bin/sh
# make-certificates.sh DIR [NAMESPACE [DAYS]]: keys and certificates for cluster.yaml and tikv.yaml, in DIR, and
# DIR/secrets.yaml to apply. An authority that is in DIR already signs again: that is how to renew.
#
# Two authorities, as each is trusted with something else: who is a server of this cluster (peer-ca), and who may
# speak to TiKV (tikv-ca). Keep DIR to yourself.
set -eu
umask 077
dir=$1 namespace=${2:-brain} days=${3:-365}
mkdir -p "$dir"

authority() { # NAME
    [ ! -f "$dir/$1.crt" ] || return 0
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 \
        -subj "/CN=$1" -addext keyUsage=critical,keyCertSign,cRLSign \
        -keyout "$dir/$1.key" -out "$dir/$1.crt" 2>/dev/null
}

certificate() { # NAME AUTHORITY USAGES NAMES
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -subj "/CN=$1" \
        -keyout "$dir/$1.key" -out "$dir/$1.csr" 2>/dev/null
    printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=%s\nsubjectAltName=%s\n' \
        "$3" "$4" >"$dir/$1.ext"
    openssl x509 -req -in "$dir/$1.csr" -CA "$dir/$2.crt" -CAkey "$dir/$2.key" -CAcreateserial \
        -sha256 -days "$days" -extfile "$dir/$1.ext" -out "$dir/$1.crt" 2>/dev/null
    rm "$dir/$1.csr" "$dir/$1.ext"
    openssl verify -CAfile "$dir/$2.crt" "$dir/$1.crt"
}

encoded() { # FILE: its bytes in one line
    openssl base64 -A -in "$1"
}

secret() { # NAME AUTHORITY CERTIFICATE
    cat <<SECRET
---
apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata: {name: $1, namespace: $namespace}
data:
  ca.crt: $(encoded "$dir/$2.crt")
  tls.crt: $(encoded "$dir/$3.crt")
  tls.key: $(encoded "$dir/$3.key")
SECRET
}

authority peer-ca
authority tikv-ca
certificate brain-peer peer-ca serverAuth,clientAuth "DNS:*.brain-peers.$namespace.svc"
# PD asks the DNS whether a member that connects has one of these names: a pattern would not do.
certificate tikv tikv-ca serverAuth,clientAuth \
    "DNS:pd-0.pd.$namespace.svc,DNS:pd-1.pd.$namespace.svc,DNS:pd-2.pd.$namespace.svc,DNS:*.tikv.$namespace.svc"
certificate brain-storage tikv-ca clientAuth DNS:brain
{
    secret brain-peer-tls peer-ca brain-peer
    secret brain-storage-tls tikv-ca brain-storage
    secret tikv-tls tikv-ca tikv
} >"$dir/secrets.yaml"
echo "kubectl apply -f $dir/secrets.yaml"
