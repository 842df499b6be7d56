package hub

// Settings are those of the model. Numbers, lists and truth values are raw, nil where the request does not say them.
type Settings struct {
	MaxTokens, Temperature, TopP, TopK, Seed []byte
	FrequencyPenalty, PresencePenalty        []byte
	Choices                                  []byte // how many answers are wanted
	Stop                                     []byte // array of strings
	ParallelCalls                            []byte // true or false

	Effort []byte // string body: none, minimal, low, medium, high, xhigh, max
	Budget []byte // tokens for reasoning
	User   []byte // string body: whom the provider may hold responsible

	Verbosity []byte // string body: how long answers are to be: low, medium, high
	Summary   []byte // string body: that reasoning is to be shown, and how: auto, concise, detailed

	Format Format
}

// Format is the form that the answer is asked to have. Kind is empty for free text.
type Format struct {
	Kind   FormatKind
	Name   []byte // string body
	Schema []byte // raw JSON Schema
	Strict []byte // raw: true or false

	Description []byte // string body: what the answer is for
}

// FormatKind is a kind of [Format].
type FormatKind uint8

// Kinds of formats.
const (
	FormatText FormatKind = iota
	FormatJSON            // any JSON object
	FormatSchema

	formatKindCount
)

func (k FormatKind) String() string { return name(formatKindNames[:], int(k)) }

// ToolChoice says which tools the model may or must call. The zero value says nothing.
type ToolChoice struct {
	Mode  ChoiceMode
	Names [][]byte // of the tools that may be called; nil: all
}

// ChoiceMode is how a [ToolChoice] binds the model.
type ChoiceMode uint8

// Modes of choice.
const (
	ChoiceUnset ChoiceMode = iota
	ChoiceAuto
	ChoiceNone
	ChoiceRequired // it must call one of them

	choiceModeCount
)

func (m ChoiceMode) String() string { return name(choiceModeNames[:], int(m)) }

var (
	formatKindNames = [formatKindCount]string{"text", "json", "schema"}
	choiceModeNames = [choiceModeCount]string{"", "auto", "none", "required"}
	triggerNames    = [triggerCount]string{"", "regenerate", "edit"}
)

// Trigger says what a request asks for that goes back in its conversation: what the agent has of it beyond the request is taken back.
type Trigger uint8

// Triggers.
const (
	TriggerNone       Trigger = iota
	TriggerRegenerate         // the last answer anew
	TriggerEdit               // an answer to the last message of the user's, which stands in the place of an earlier one

	triggerCount
)

func (t Trigger) String() string { return name(triggerNames[:], int(t)) }

// Context is a piece of text that the application tells the agent beside the conversation.
type Context struct{ Description, Value []byte } // string bodies

// Decision is the answer to a question of an earlier run.
type Decision struct {
	Ask       []byte // string body: the id of the question, as the client received it
	Call      []byte // string body: the call that it is about, where the request tells
	Cancelled bool   // the question was dismissed
	Decided   bool   // Approved holds
	Approved  bool
	Reason    []byte // string body
	Payload   []byte // raw: what was answered, as the client said it
}
