package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// storeYAML names a Redis server, or a cluster, in a configuration. rest is what else stands there.
func storeYAML(address, rest string) string {
	where := fmt.Sprintf("url: \"redis://%s\"", address)
	if strings.Contains(address, ",") {
		where = fmt.Sprintf("cluster: [%s]", address)
	}
	if !strings.Contains(rest, "timeout:") {
		rest += fmt.Sprintf(", timeout: %s", testStoreTimeout)
	}
	if !strings.Contains(rest, "lease:") {
		rest += fmt.Sprintf(", lease: %s", testLease)
	}
	return fmt.Sprintf("store: {redis: {%s%s}}\n", where, rest)
}

// testStoreTimeout is how long requests of tests wait for the store: a busy machine may stop for longer than the usual time.
const testStoreTimeout = time.Minute

// testLease is the lease of replicas in tests: a busy machine may stop for a while, and what does must not be taken for dead.
const testLease = 2 * time.Second

// replica is one of several proxies that share a Redis server.
func replica(t *testing.T, a *agent, client, resume, address string) *rig {
	t.Helper()
	return replicaOf(t, a, client, resume, storeYAML(address, prefixed(t)))
}

// replicaOf is the same with a store that is configured in its own way.
func replicaOf(t *testing.T, a *agent, client, resume, store string) *rig {
	t.Helper()
	top := store + "timeouts: {drain: 20s}"
	return start(t, strings.Replace(simple(a.url(), top, "", "client: "+client+"\nrequests: {mode: translate}\nresume: {"+resume+"}"),
		"path: /run", "path: /run/*", 1))
}

// twoReplicas are for clients of AG-UI.
func twoReplicas(t *testing.T, a *agent, grace string) (one, two *rig) {
	t.Helper()
	address := redisAddress(t)
	return replica(t, a, "agui", "grace: "+grace, address), replica(t, a, "agui", "grace: "+grace, address)
}
