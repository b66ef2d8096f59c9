# The datastore of k3s-config.yaml.
etcd --name k3s-datastore-1 \
  --data-dir /var/lib/etcd/k3s \
  --listen-client-urls https://10.0.0.10:2379 \
  --listen-client-http-urls http://127.0.0.1:2382 \
  --advertise-client-urls https://10.0.0.10:2379 \
  --listen-peer-urls https://10.0.0.10:2380 \
  --initial-advertise-peer-urls https://10.0.0.10:2380 \
  --initial-cluster k3s-datastore-1=https://10.0.0.10:2380 \
  --initial-cluster-state new \
  --initial-cluster-token k3s \
  --client-cert-auth --trusted-ca-file /etc/etcd/pki/ca.crt \
  --cert-file /etc/etcd/pki/server.crt --key-file /etc/etcd/pki/server.key \
  --peer-client-cert-auth --peer-trusted-ca-file /etc/etcd/pki/ca.crt \
  --peer-cert-file /etc/etcd/pki/peer.crt --peer-key-file /etc/etcd/pki/peer.key \
  --listen-metrics-urls http://127.0.0.1:2381 \
  --heartbeat-interval 500 --election-timeout 5000 --snapshot-count 10000 \
  --logger zap --log-outputs stderr
