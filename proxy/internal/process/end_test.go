//go:build linux

package process

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestEndOfOneThatListensToNothing(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		p := start(t, "deaf")
		p.line("ready")
		if p.Exit() != "" {
			t.Errorf("it runs, and its exit is %q", p.Exit())
		}
		p.End()
		p.nothingLeft()
		if p.Exit() != "signal: killed" {
			t.Errorf("exit %q", p.Exit())
		}
		<-p.Ended()
	})
}

func TestEndOfToolsInOtherSessions(t *testing.T) {
	for _, role := range []string{"session", "daemon"} {
		t.Run(role, func(t *testing.T) {
			bothWays(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "alive")
				p := startPatiently(t, role, file)
				p.line("ready")
				eventually(t, "writing", func() bool { return size(file) > 0 })
				p.End()
				p.nothingLeft()
				stopped(t, file)
				if p.Exit() != "exit status 0" {
					t.Errorf("exit %q", p.Exit())
				}
			})
		})
	}
}

// TestEndWithoutFirstScan gives the agent no time: what it has started was never seen as its descendant.
func TestEndWithoutFirstScan(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "alive")
		tag := rand.Text()
		s := spec(t, tag, "daemon", file)
		s.Grace = Grace{}
		p := startSpec(t, tag, s)
		p.line("ready")
		p.End()
		p.nothingLeft()
		stopped(t, file)
	})
}

// TestOrphansOfTwoAgents lets both agents leave orphans that nothing assigns to them.
func TestOrphansOfTwoAgents(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		files := [2]string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
		a, b := start(t, "daemon", files[0]), start(t, "daemon", files[1])
		a.line("ready")
		b.line("ready")
		for _, f := range files {
			eventually(t, "writing", func() bool { return size(f) > 0 })
		}
		a.End()
		before := size(files[1])
		eventually(t, "writing of the other agent's", func() bool { return size(files[1]) > before })
		b.End()
		a.nothingLeft()
		b.nothingLeft()
	})
}

// TestOutputIsHeldByAnOrphan has one that End must leave alone, since another agent may have started it.
func TestOutputIsHeldByAnOrphan(t *testing.T) {
	defer withoutCgroups()()
	file := filepath.Join(t.TempDir(), "alive")
	other := start(t, "deaf")
	p := start(t, "holder", file)
	p.line("ready")
	eventually(t, "writing", func() bool { return size(file) > 0 })
	go p.says("")
	within(t, "the end", p.End)
	p.says("")
	before := size(file)
	eventually(t, "writing of the orphan", func() bool { return size(file) > before })
	other.End()
	p.nothingLeft()
}

// TestTermArrives at the agent, at one that was stopped, and at what the agent leaves behind in its group.
func TestTermArrives(t *testing.T) {
	for name, c := range map[string]struct{ script, exit string }{
		"agent":   {`trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.01; done`, "exit status 7"},
		"stopped": {`trap "echo bye; exit 7" TERM; echo ready; kill -STOP $$; while :; do sleep 0.01; done`, "exit status 7"},
		"group":   {`(trap "echo bye; exit" TERM; echo ready; while :; do sleep 0.01; done) & cat`, "exit status 0"},
	} {
		t.Run(name, func(t *testing.T) {
			tag := rand.Text()
			s := spec(t, tag, "")
			s.Command = []string{"sh", "-c", c.script, tag}
			s.Grace = Grace{Stdin: 500 * time.Millisecond, Term: ceiling}
			p := startSpec(t, tag, s)
			p.line("ready")
			p.End()
			p.says("bye\n")
			if p.Exit() != c.exit {
				t.Errorf("exit %q", p.Exit())
			}
		})
	}
}

// TestEndWithoutDescriptors takes all of them away for a while: /proc cannot be read then.
func TestEndWithoutDescriptors(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		p := start(t, "session", filepath.Join(t.TempDir(), "alive"))
		p.line("ready")
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		none := unix.Rlimit{Cur: 0, Max: limit.Max}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); p.End() }()
		<-p.Ended()
		time.Sleep(20 * time.Millisecond)
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		<-done
		p.nothingLeft()
	})
}

// bomb keeps 25 loops going, each of which starts a process again as soon as it dies.
const bomb = `loop() { while [ -e "$0" ]; do (sleep 60 & wait); done; }
i=0; while [ $i -lt 25 ]; do loop & i=$((i+1)); done; echo ready; wait`

func TestEndOfBombs(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		tag := rand.Text()
		s := spec(t, tag, "")
		s.Command = []string{"sh", "-c", "trap '' TERM; " + bomb, s.Dir, tag}
		p := startSpec(t, tag, s)
		p.line("ready")
		within(t, "the end", p.End)
		p.nothingLeft()
	})
}

func TestEndOfBombsInSessionsOfTheirOwn(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		tag := rand.Text()
		s := spec(t, tag, "")
		loops := `loop() { while [ -e "$0" ]; do env -i setsid sh -c "sleep 60 & wait" ` + tag + `; done; }
i=0; while [ $i -lt 25 ]; do loop & i=$((i+1)); done; echo ready; wait`
		s.Command = []string{"sh", "-c", loops, s.Dir, tag}
		p := startSpec(t, tag, s)
		p.line("ready")
		within(t, "the end", p.End)
		p.nothingLeft()
	})
}

func TestEndOfComets(t *testing.T) {
	for _, prefix := range []string{"", "env -i "} {
		t.Run(prefix+"sh", func(t *testing.T) {
			bothWays(t, func(t *testing.T) {
				tag := rand.Text()
				s := spec(t, tag, "")
				script := filepath.Join(s.Dir, "comet")
				body := `[ -e "$0" ] && ` + prefix + `setsid sh "$0" "$1" &` + "\n"
				if err := os.WriteFile(script, []byte(body), 0o600); err != nil {
					t.Fatal(err)
				}
				s.Command = []string{"sh", "-c", `sh "$0" "$1"; sh "$0" "$1"; echo ready; cat`, script, tag}
				p := startSpec(t, tag, s)
				p.line("ready")
				within(t, "the end", p.End)
				p.nothingLeft()
			})
		})
	}
}

func TestEndFromManySides(t *testing.T) {
	p := start(t, "deaf")
	p.line("ready")
	var all sync.WaitGroup
	all.Go(func() { p.says("") })
	all.Go(func() {
		for p.Send(make([]byte, 1<<20), time.Now().Add(time.Second)) == nil {
		}
	})
	for range 8 {
		all.Go(func() { p.End(); p.nothingLeft() })
	}
	within(t, "the end", all.Wait)
	p.End()
	p.says("")
	if err := p.Send([]byte("x\n"), time.Now().Add(time.Second)); err == nil {
		t.Error("something was sent to an agent that has ended")
	}
}

func TestManyStartsAndEnds(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		once := func() {
			tag := rand.Text()
			s := spec(t, tag, "")
			s.Command = []string{"sh", "-c", "echo x; sleep 60 & cat", tag}
			p, err := Start(s)
			if err != nil {
				t.Fatal(err)
			}
			if line, err := p.Next(nil); string(line) != "x\n" {
				t.Errorf("got %q, %v", line, err)
			}
			p.End()
			if found := survivors(tag, p.family.id); len(found) > 0 {
				t.Errorf("these survived: %q", found)
			}
		}
		once() // starts what the standard library keeps for ever
		descriptors, goroutines := open(t)
		for range 25 {
			var all sync.WaitGroup
			for range 4 {
				all.Go(once)
			}
			all.Wait()
		}
		eventually(t, "the end of all goroutines and descriptors", func() bool {
			d, g := open(t)
			return d <= descriptors && g <= goroutines
		})
	})
}

// TestOthersKeepTheirChildren starts children by other means while orphans are reaped.
func TestOthersKeepTheirChildren(t *testing.T) {
	p := start(t, "orphans")
	p.line("ready")
	child := exec.Command("true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child's end", func() bool { c, _ := readProc(child.Process.Pid); return c.zombie })
	keep.do(func() { _, _ = keep.scan() })
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	eventually(t, "reaping", func() bool { return unreaped(t) == 0 })
}

// TestSabirIsKilled kills one that runs an agent.
func TestSabirIsKilled(t *testing.T) {
	tag := rand.Text()
	sabir := exec.Command(os.Args[0], "agent", tag, "sabir")
	out, err := sabir.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sabir.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, 6)
	if _, err := out.Read(ready); err != nil || string(ready) != "ready\n" {
		t.Fatalf("got %q, %v", ready, err)
	}
	if n := len(survivors(tag)); n != 2 {
		t.Errorf("%d processes, not one and its agent", n)
	}
	_ = sabir.Process.Kill()
	_ = sabir.Wait()
	eventually(t, "the end of the agent", func() bool { return len(survivors(tag)) == 0 })
}

// TestKillAll: agents are killed at once with all that they have started, also one that is being ended in its own time, and none begins any more.
func TestKillAll(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "alive")
		var r register
		begin := func(role ...string) *trial {
			tag := rand.Text()
			s := spec(t, tag, role[0], role[1:]...)
			s.Grace = Grace{Stdin: time.Hour, Term: time.Hour}
			p := startSpec(t, tag, s)
			p.line("ready")
			if !r.add(p.Process) {
				t.Error("it may not run")
			}
			return p
		}
		deaf, daemon := begin("deaf"), begin("daemon", file)
		eventually(t, "writing", func() bool { return size(file) > 0 })
		var ending sync.WaitGroup
		ending.Go(deaf.End)
		r.killAll()
		ending.Wait()
		stopped(t, file)
		daemon.End()
		for _, p := range []*trial{deaf, daemon} {
			if r.remove(p.Process); p.Exit() != "signal: killed" {
				t.Errorf("exit %q", p.Exit())
			}
			p.nothingLeft()
		}
		if r.add(deaf.Process) {
			t.Error("another may run")
		}
	})
}
