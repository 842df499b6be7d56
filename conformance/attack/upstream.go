package main

import (
	"fmt"
	"strings"
	"time"
)

// want is what a case must come to.
type want int

const (
	fails    want = iota // the client learns that it failed, and the log says why
	works                // a whole, good answer
	anything             // either, as long as it is valid and ends in time
	foreign              // like fails where the stream is translated; a copy passes what is not of its dialect untouched
)

// upstreamCase is one way for an upstream to be hostile.
type upstreamCase struct {
	name string
	want want
	play func(*peer)
}

// hello is a text in every good stream of the upstreams, and secret one in what clients and logs must not get.
const (
	hello  = "hello from the agent"
	secret = "s3cr3t-of-the-upstream"
)

// good is the body of a good stream.
func (p *peer) good() string { return speak(p.dialect, hello, " and more") }

// theme makes one attack of cases: each is played for several pairs of dialects.
func theme(name, about string, cases ...upstreamCase) *attack {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return &attack{
		name:  "upstream/" + name,
		tries: about + ": " + strings.Join(names, ", "),
		holds: "the client gets a whole and valid answer in time, never a clean end of what was not; no secret in it or in the log",
		run: func(t *trial) {
			t.figure("cases", "%d", len(cases))
			playCases(t, byHTTP, cases)
		},
	}
}

// playCases plays each case for some pairs, or for all in the long form.
func playCases(t *trial, by string, cases []upstreamCase) {
	type job struct {
		upstreamCase
		pair
	}
	var jobs []job
	for _, c := range cases {
		pairs := pairsBy(by)
		order := t.random.Perm(len(pairs))
		for _, i := range order[:t.pick(3, len(order))] {
			jobs = append(jobs, job{c, pairs[i]})
		}
	}
	t.each(len(jobs), 24, func(i int) { t.playCase(by, jobs[i].upstreamCase, jobs[i].pair) })
	if t.rig.process.log.contains(secret) {
		line := t.rig.process.log.all()
		at := strings.Index(line, secret)
		t.fault("the log holds the secret of an upstream: %s", clip(line[max(0, at-300):], 500))
	}
}

// playCase plays one case for one pair.
func (t *trial) playCase(by string, c upstreamCase, p pair) {
	s := t.rig.agent.add(c.play)
	defer s.remove()
	a := t.rig.ask(by+p.String(), s)
	t.count(1)
	t.judgeAnswer(c.name+", "+p.String(), c.want, p, a)
}

// judgeAnswer says what is wrong with an answer.
func (t *trial) judgeAnswer(name string, w want, p pair, a *answer) {
	if a.tells(secret) {
		t.fault("%s: the client learns the secret of the upstream: status %d, %q", name, a.status, clip(string(a.body), 300))
	}
	copied := p.from == p.to
	if err := a.valid(p.to, copied); err != nil {
		t.fault("%s: %v", name, err)
		return
	}
	if w == foreign {
		w = fails
		if copied {
			w = anything
		}
	}
	ending := t.rig.ending(t, a)
	switch {
	case ending == "":
		t.fault("%s: the log has no line about request %s", name, a.id)
	case w == fails:
		if err := a.honest(p.to); err != nil {
			t.fault("%s: %v", name, err)
		}
		if ending == "done" {
			t.fault("%s: the log says ending=done", name)
		}
	case w == works && (a.status != 200 || !isClean(readBack(dialect(p.to), a.body)) || !a.tells("hello")):
		t.fault("%s: it should have worked: status %d, ending %s, %q", name, a.status, ending, clip(string(a.body), 300))
	}
}

func upstreamAttacks() []*attack {
	return []*attack{
		everyCut(), theme("cuts", "an answer that is cut", cuts...), theme("stalls", "an answer that stops or crawls", stalls...),
		theme("headers", "a header without end or sense", headers...), theme("chunks", "chunks that break RFC 9112", chunks...),
		theme("lengths", "lengths that contradict each other", lengths...), theme("encodings", "compressed bodies", encodings...),
		theme("status", "answers that are no stream", statuses...), theme("wrong-dialect", "a good stream of another dialect", wrongDialects()...),
		theme("records", "records that break limits", records...), theme("secrets", "errors with secrets", secrets()...),
		largeBodies(), redirects(), answersTooMany(), staleConnections(),
	}
}

// everyCut cuts a good answer at every byte, head and framing included.
func everyCut() *attack {
	return &attack{
		name:  "upstream/every-cut",
		tries: "a good answer in chunks, cut before every byte, with FIN and with RST",
		holds: "never a clean end before the last record, whatever arrived",
		limit: 4 * time.Minute,
		run: func(t *trial) {
			for _, p := range usualPairs[:t.pick(2, len(usualPairs))] {
				t.cutEverywhere(p)
			}
		},
	}
}

func (t *trial) cutEverywhere(p pair) {
	body := say(p.from, []string{hello}, "")
	whole := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	whole += fmt.Sprintf("%x\r\n%s\r\n", len(body)/2, body[:len(body)/2]) + fmt.Sprintf("%x\r\n%s", len(body)-len(body)/2, body[len(body)/2:])
	step := t.pick(7, 1)
	t.each((len(whole)+step-1)/step, 16, func(i int) {
		at := i * step
		s := t.rig.agent.add(func(q *peer) {
			q.say(whole[:at])
			if at%2 == 1 {
				time.Sleep(5 * time.Millisecond) // or the reset overtakes what was written
				q.reset()
			}
		})
		defer s.remove()
		a := t.rig.ask(byHTTP+p.String(), s)
		t.count(1)
		t.judgeAnswer(fmt.Sprintf("cut before byte %d of %d, %s", at, len(whole), p), fails, p, a)
	})
}
