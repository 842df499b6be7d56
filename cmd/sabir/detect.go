package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/fetch"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// detectFlags are the flags of detect as they were given.
type detectFlags struct {
	request fetch.Request
	data    string
	timeout time.Duration
	declare []string
	ask     bool
	draft   bool
	asJSON  bool
}

func newDetect() *cobra.Command {
	var f detectFlags
	cmd := &cobra.Command{
		Use:   "detect [URL | FILE]",
		Short: "Tell which dialect a stream speaks",
		Long: `Detect reads the beginning of a stream from a server, from FILE, or from
standard input. It says which dialect the stream speaks, in which version and
framing, how sure that is, which other dialects come close, and the line to
write into the configuration.

Every dialect reads the records, and what each recognises is counted. "certain"
means that the dialect recognises nearly all and no other comes close; "likely",
that it recognises half or more; "doubtful", that it is less; "ambiguous", that
several fit as well, as when there is nothing but an error; "unknown", that none
does. 256 KiB and 256 records are read at most; a stream that goes on is left as
soon as it is clear, or when the time is over.

A URL is asked by GET, or with --data by POST. Most agents answer POST only, and
want a body of their own form: --ask asks "Hello" in the forms of the likely
dialects, one after the other until one is taken. That starts a run, which may
cost. Redirects are followed on the same server only, and with the same method.

Records that no dialect knows can be described in a file, as the manual
docs/declared-dialects.md says: --draft writes such a file to begin with, and
guesses by names what the records mean.

The exit status is 0 if the dialect is certain or likely, 1 if not or if nothing
could be read, 2 if the command line is wrong.`,
		Example: `  sabir detect recording.ndjson
  sabir detect http://127.0.0.1:9000/stream
  sabir detect --ask http://127.0.0.1:9000/run
  sabir detect --draft --data '{"prompt":"Hello"}' http://127.0.0.1:9000/run
  sabir detect -H 'Authorization: Bearer KEY' -d '{}' http://127.0.0.1:9000/run`,
		Args: cobra.MaximumNArgs(1),
		RunE: work(func(cmd *cobra.Command, args []string) error { return detect(cmd, &f, args) }),
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.request.Header, "header", "H", nil, "header `FIELD` of the request, NAME: VALUE; can repeat")
	flags.StringVarP(&f.data, "data", "d", "", "body of the request, `TEXT` or @FILE")
	flags.StringVarP(&f.request.Method, "method", "X", "", "`METHOD` of the request; by default GET, or POST with data")
	flags.BoolVar(&f.ask, "ask", false, "ask \"Hello\" in likely forms; it starts a run")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Second, "`TIME` to read the beginning")
	flags.StringArrayVar(&f.declare, "declare", nil, "`FILE` of a dialect of your own; can repeat")
	flags.BoolVar(&f.draft, "draft", false, "draft a dialect of your own for the records, in YAML")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON, for programs")
	return cmd
}

func detect(cmd *cobra.Command, f *detectFlags, args []string) error {
	var known catalog
	if problems := known.declareFiles(f.declare); len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	d := detection{known: &known.Catalog}
	if err := d.find(ctx, f, cmd.InOrStdin(), args); err != nil {
		return err
	}
	if f.draft {
		return d.printDraft(cmd.OutOrStdout())
	}
	err := d.print(cmd.OutOrStdout(), f.asJSON)
	if errors.Is(err, errOwnRecords) && d.drafted() != nil {
		err = fmt.Errorf("%w\nIf they are its own, the same command with --draft writes a file that describes them, to begin with", err)
	}
	return err
}

// find reads what is to be looked at.
func (d *detection) find(ctx context.Context, f *detectFlags, stdin io.Reader, args []string) (err error) {
	if len(args) > 0 && isHTTP(args[0]) {
		d.url = args[0]
	}
	if f.ask {
		if d.url == "" || f.data != "" || f.request.Method != "" {
			return usageError{errors.New("--ask is for a URL, such as http://127.0.0.1:9000/run, and makes method and body itself; leave it out to give them")}
		}
		var forms formRefusals
		if d.form, err = d.ask(ctx, &f.request, d.url); errors.As(err, &forms) {
			return fmt.Errorf("%w\nIf it takes a body of its own, say which in place of --ask: --data '{\"prompt\":\"Hello\"}', with the member that it reads", err)
		}
		return err
	}
	in, done, err := f.open(ctx, stdin, args)
	err = inWords(err)
	var refused *fetch.StatusError
	if errors.As(err, &refused) && f.data == "" && refused.Status != http.StatusUnauthorized && refused.Status != http.StatusForbidden {
		return fmt.Errorf("%w; most agents want a POST with a body: --data TEXT sends one, --ask tries \"Hello\" in likely forms", err)
	}
	if err != nil {
		return err
	}
	defer done()
	if err := d.read(ctx, in); err != nil && len(d.data) == 0 {
		return err
	}
	return recorded(d.data)
}

// recorded refuses a recording of Sabir's own: what the agent sent stands in it, and what it speaks is known.
func recorded(data []byte) error {
	var header recording.Header
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &header) == nil && header.Version > 0 && header.From != "" {
		return fmt.Errorf("this is a recording of sabir, of an agent that speaks %s; sabir convert FILE --to agent writes what it sent", header.From)
	}
	return nil
}

func isHTTP(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && (scheme == "http" || scheme == "https")
}

// open opens what is to be looked at. The function it returns closes it.
func (f *detectFlags) open(ctx context.Context, stdin io.Reader, args []string) (io.Reader, func(), error) {
	scheme := ""
	if len(args) > 0 {
		scheme, _, _ = strings.Cut(args[0], "://")
	}
	switch {
	case len(args) > 0 && isHTTP(args[0]):
		var err error
		if f.request.Body, err = fetch.Body(f.data); err != nil {
			return nil, nil, usageError{fmt.Errorf("--data: %w", err)}
		}
		return f.request.Open(ctx, args[0])
	case len(args) > 0 && (scheme == "ws" || scheme == "wss"):
		return nil, nil, usageError{errors.New("detect asks by HTTP only; record the messages of the WebSocket, one a line, and give it the file")}
	case f.data != "" || len(f.request.Header) > 0 || f.request.Method != "":
		return nil, nil, usageError{errors.New("--data, --header and --method are for a URL, such as http://127.0.0.1:9000/stream")}
	}
	return input(stdin, args)
}

// read reads until it is clear what the stream is, the stream or the time is over, or enough was read. The error says why
// nothing more came, nil for the end of the stream.
func (d *detection) read(ctx context.Context, in io.Reader) error {
	type piece struct {
		data []byte
		err  error
	}
	pieces := make(chan piece)
	go func() {
		for {
			buf := make([]byte, 16<<10)
			n, err := in.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for len(d.data) < recognize.MaxBytes {
		select {
		case p := <-pieces:
			d.data = append(d.data, p.data...)
			switch {
			case errors.Is(p.err, io.EOF):
				d.look(true)
				return nil
			case p.err != nil:
				d.look(false)
				return p.err
			}
			if d.look(false); d.isClear() {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("nothing came in time: %w", ctx.Err())
		}
	}
	return nil
}

// enough is how many recognised records make it pointless to read on.
const enough = 8

// isClear reports whether it is clear what the stream is.
func (d *detection) isClear() bool {
	return d.report.Sure() == recognize.Certain && d.report.Matches[0].Recognised >= enough
}

// look recognises what was read.
func (d *detection) look(eof bool) {
	d.report = recognize.Bytes(d.known.All(), d.data, wire.Auto, eof)
}
