package proxy

import (
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// testReplicas makes the tests that it is set for run against two replicas instead of one process: each connection goes to the other one.
// .ci/redis does so with those of conversations.
const testReplicas = "SABIR_TEST_REPLICAS"

// startReplicas starts two replicas; one where the test says which store it has, or where the agent is a program: its session is that of the
// replica that started it.
func startReplicas(t testing.TB, yaml string) *rig {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	if strings.Contains(yaml, "store:") || strings.Contains(yaml, "command:") {
		return startOne(t, yaml, zap.New(core), logs)
	}
	// What a test starts later remembers nothing of what it started before, as one process does.
	store := storeYAML(redisAddress(t), prefixedAnew(t))
	yaml = strings.Replace(yaml, "upstreams:", store+"upstreams:", 1)
	one, two := startOne(t, yaml, zap.New(core), logs), startOne(t, yaml, zap.New(core), logs)
	one.all, one.partOfLog, two.partOfLog = []*rig{one, two}, true, true
	return one
}

// nextAddr is the address of the proxy, or of one of its replicas after the other.
func (r *rig) nextAddr() string {
	if r.bridged != "" {
		return r.bridged
	}
	if len(r.all) == 0 {
		return r.addr
	}
	return r.all[r.dials.Add(1)%int64(len(r.all))].addr
}

// awaitRun waits until a replica finds a run of another one: the client that begins a run does not wait for the store.
func (r *rig) awaitRun(t *testing.T, run string) {
	t.Helper()
	await(t, "the run to be known", func() bool {
		head, err := r.replicas.store.Head(run)
		return head != nil && err == nil
	})
}
