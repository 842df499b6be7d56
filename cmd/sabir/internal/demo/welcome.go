package demo

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/try"
	"github.com/sabir-proxy/sabir/config"
)

// usualClient is the dialect of clients that ask for none.
const usualClient = "agui"

// clients are the dialects that clients can ask for.
func clients() []*hub.Dialect {
	return slices.DeleteFunc(slices.Clone(adapters.All()), func(d *hub.Dialect) bool { return !adapters.Serves(d, adapters.Client) })
}

// welcome says what runs where, and what to try. Everything fits into 80 columns, and what begins with curl works when it
// is pasted.
func (l *Live) welcome(w io.Writer) {
	title := func(text string) { fmt.Fprintf(w, "\n%s\n\n", l.Style.Paint(term.Bold, text)) }
	line := func(about, command string) {
		fmt.Fprintf(w, "  %s %s\n", l.Style.Cell(term.Dim, about, aboutWidth), command)
	}
	base, operators := try.Base(l.Clients.Addr(), false), try.Base(l.admin.Addr(), false)

	title("Sabir demo: an agent that speaks " + dialect + ", and Sabir in front of it")
	line("the agent", try.Base(l.agent.Addr(), false)+"/stream")
	line("Sabir, for clients", base)
	line("Sabir, for operators", operators)
	line("look at the runs", operators+"/inspect/")
	line("two front ends, live", operators+frontEndsPath)

	title("Try in another terminal; an answer takes " + roughly(l.usual.lasts(), l.Speed))
	for _, d := range clients() {
		about := d.Title
		if d.Name == dialect {
			about = "copied, not translated"
		}
		line(about, "curl -N "+base+"/"+d.Name)
	}
	for _, s := range l.scenarios {
		if s != l.usual {
			line(s.about, "curl -N '"+base+"/"+usualClient+"?scenario="+s.name+"'")
		}
	}
	line("what was counted", "curl -s "+operators+"/metrics | grep ^sabir_")

	title("The client chooses its dialect")
	fmt.Fprintf(w, "  curl -N -H 'X-Sabir-Dialect: native' %s/%s\n", base, config.Auto)
	fmt.Fprint(w, "\nEnd with Ctrl-C. Streams are listed here as they end.\n\n")
}

const aboutWidth = 24

// roughly is a duration for people.
func roughly(d time.Duration, speed float64) string {
	return fmt.Sprintf("about %d s", max(1, int(math.Round(d.Seconds()/speed))))
}
