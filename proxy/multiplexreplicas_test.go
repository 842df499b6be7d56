package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// chatsAt are two replicas for chats, each with its way to Redis, and a client of the first whose run waits for its agent.
func chatsAt(t *testing.T, a *agent, first, second string) (two *rig, c *wsClient) {
	t.Helper()
	one := replica(t, a, "aisdk", "grace: 1m", first)
	two = replica(t, a, "aisdk", "grace: 1m", second)
	c = one.dialWS("/run", alice)
	c.say(sends("one", "chat-1", "wait"))
	c.half(1)
	await(t, "the run to be known to the other replica", func() bool {
		probe := two.dialWS("/run", alice)
		defer probe.Close()
		probe.say(resumes("probe", "chat-1"))
		return probe.next(nil).Type == "start"
	})
	return two, c
}

// TestMultiplexReplicas: a chat that has lost its connection comes back by one to another replica, from the beginning and behind what it
// has, and no other principal does.
func TestMultiplexReplicas(t *testing.T) {
	t.Parallel()
	a, goOn, stopped, _ := chatAgent(t)
	address := redisAddress(t)
	two, c := chatsAt(t, a, address, address)
	c.Close()
	other := two.dialWS("/run", bob)
	other.say(resumes("x", "chat-1"))
	other.holds(map[string]string{"x": "|no-active"})
	c = two.dialWS("/run", alice)
	c.say(resumes("back", "chat-1"))
	had := c.half(1)["back"]
	behind := two.dialWS("/run", alice)
	behind.say(strings.Replace(resumes("behind", "chat-1"), `"headers"`, fmt.Sprintf(`"lastSequence":%d,"headers"`, had-1), 1))
	if m := behind.next(nil); m.Type != "start" {
		t.Errorf("behind what it has, a client is answered by %+v", m)
	}
	close(goOn)
	if got := c.rest("back"); got["back"] != ", world|end" {
		t.Errorf("at the other replica comes %v", got)
	}
	numbers := map[string]int64{"behind": had}
	for m := behind.next(numbers); m.Type != "end"; m = behind.next(numbers) {
		if m.Type != "chunk" || m.Chunk.Delta == "Hello" {
			t.Errorf("behind what the client has comes %+v", m)
		}
	}
	if numbers["behind"] == had {
		t.Error("nothing comes behind it")
	}
	if len(stopped) > 0 {
		t.Error("the agent was left")
	}
}

// TestMultiplexStopAtReplica: a chat that reads its run at another replica ends it there.
func TestMultiplexStopAtReplica(t *testing.T) {
	t.Parallel()
	a, _, stopped, _ := chatAgent(t)
	address := redisAddress(t)
	two, _ := chatsAt(t, a, address, address)
	c := two.dialWS("/run", alice)
	c.say(resumes("back", "chat-1"))
	c.half(1)
	c.say(aborts("back"))
	<-stopped
	if got := c.rest("back"); strings.Contains(got["back"], "world") || !strings.HasSuffix(got["back"], "|end") {
		t.Errorf("the run that was stopped says %v", got)
	}
}
