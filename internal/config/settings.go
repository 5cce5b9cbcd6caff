package config

// Settings are all settings of a run. The YAML keys are promised to users.
type Settings struct {
	Seed      int64     `yaml:"seed" json:"seed"` // of every random choice that is ours
	Models    Models    `yaml:"models" json:"models"`
	Retrieval Retrieval `yaml:"retrieval" json:"retrieval"`
	Agent     Agent     `yaml:"agent" json:"agent"`
	Rollout   Rollout   `yaml:"rollout" json:"rollout"`
	Recursion Recursion `yaml:"recursion" json:"recursion"`
	Selection Selection `yaml:"selection" json:"selection"`
}

// Models are the roles that models play.
type Models struct {
	Agent      Model    `yaml:"agent" json:"agent"`
	Compressor Role     `yaml:"compressor" json:"compressor"` // writes the states between rounds
	Aggregator Role     `yaml:"aggregator" json:"aggregator"` // writes answers from rollouts, and says how sure it is of one
	Judge      Role     `yaml:"judge" json:"judge"`           // says whether answers are right
	Embedder   Embedder `yaml:"embedder" json:"embedder"`
}

// A Role is the model in a role other than the agent's. What is not set is as it
// is for the agent, timeouts and retries included.
type Role struct {
	Like        string         `yaml:"like" json:"like" validate:"oneof=agent"`
	Endpoints   []string       `yaml:"endpoints" json:"endpoints"`
	Name        string         `yaml:"name" json:"name"`
	KeyEnv      string         `yaml:"key-env" json:"key-env"`
	Temperature *float64       `yaml:"temperature" json:"temperature" validate:"omitempty,gte=0,lte=100"`
	TopP        *float64       `yaml:"top-p" json:"top-p" validate:"omitempty,gt=0,lte=1"`
	MaxTokens   int            `yaml:"max-tokens" json:"max-tokens" validate:"gte=0"`
	Extra       map[string]any `yaml:"extra" json:"extra"` // in the place of the agent's, not beside them
}

// In returns the model that plays a role. Another endpoint without a name takes
// the only model that it serves, and not the agent's.
func (m Models) In(r Role) Model {
	out := m.Agent
	if len(r.Endpoints) > 0 {
		out.Endpoints, out.Name = r.Endpoints, ""
	}
	if r.Name != "" {
		out.Name = r.Name
	}
	if r.KeyEnv != "" {
		out.KeyEnv = r.KeyEnv
	}
	if r.Temperature != nil {
		out.Temperature = r.Temperature
	}
	if r.TopP != nil {
		out.TopP = r.TopP
	}
	if r.MaxTokens > 0 {
		out.MaxTokens = r.MaxTokens
	}
	if r.Extra != nil {
		out.Extra = r.Extra
	}
	return out
}

// An Embedder says what turns texts into the vectors that the trained selector
// reads. A selector is bound to the embedder it was trained with.
type Embedder struct {
	Kind      string   `yaml:"kind" json:"kind" validate:"oneof=hashing static endpoint"`
	Dir       string   `yaml:"dir" json:"dir"`                                         // static: a Model2Vec folder
	Endpoints []string `yaml:"endpoints" json:"endpoints" validate:"max=1"`            // endpoint: the base URL of a server of /v1/embeddings
	Name      string   `yaml:"name" json:"name"`                                       // endpoint: the model; empty: the only one that is served
	KeyEnv    string   `yaml:"key-env" json:"key-env"`                                 // as for the other models
	Timeout   int      `yaml:"timeout" json:"timeout" validate:"gte=1,lte=1000000000"` // seconds for one batch
	Retries   int      `yaml:"retries" json:"retries" validate:"gte=0"`                // after the first try
	RetryWait float64  `yaml:"retry-wait" json:"retry-wait" validate:"gte=0"`          // seconds before the first retry; doubles with each
	Batch     int      `yaml:"batch" json:"batch" validate:"gte=1"`                    // texts per request
	Chars     int      `yaml:"chars" json:"chars" validate:"gte=0"`                    // of a text that are embedded; 0: all
	Cache     string   `yaml:"cache" json:"cache"`                                     // folder of vectors of servers; empty: that of the user's caches; "none": memory only
}

// A Model says where a model is and how it samples.
type Model struct {
	Endpoints   []string       `yaml:"endpoints" json:"endpoints"`                                        // base URLs, or "sim"; empty: found out
	Name        string         `yaml:"name" json:"name"`                                                  // empty: the only one that is served
	KeyEnv      string         `yaml:"key-env" json:"key-env"`                                            // variable that holds the key; empty: TRAWL_API_KEY, then OPENAI_API_KEY
	Temperature *float64       `yaml:"temperature" json:"temperature" validate:"omitempty,gte=0,lte=100"` // nil: the server's default
	TopP        *float64       `yaml:"top-p" json:"top-p" validate:"omitempty,gt=0,lte=1"`                // nil: the server's default
	MaxTokens   int            `yaml:"max-tokens" json:"max-tokens" validate:"gte=1"`
	Extra       map[string]any `yaml:"extra" json:"extra"`                                         // further keys of the request body
	Logprobs    int            `yaml:"logprobs" json:"logprobs" validate:"omitempty,gte=2,lte=20"` // of the likeliest tokens at each place, from which the agent's entropies are recorded; 0: none
	Timeout     int            `yaml:"timeout" json:"timeout" validate:"gte=1,lte=1000000000"`     // seconds for one reply
	Stream      bool           `yaml:"stream" json:"stream"`                                       // replies, for the two limits below
	FirstToken  int            `yaml:"first-token" json:"first-token" validate:"gte=1"`            // seconds until a stream begins
	Gap         int            `yaml:"gap" json:"gap" validate:"gte=1"`                            // seconds between two events of a stream
	Retries     int            `yaml:"retries" json:"retries" validate:"gte=0"`                    // after the first try
	RetryWait   float64        `yaml:"retry-wait" json:"retry-wait" validate:"gte=0"`              // seconds before the first retry; doubles with each
}

// Retrieval says what is searched and how much of it is shown.
type Retrieval struct {
	Index            string `yaml:"index" json:"index"`                                            // a folder
	Top              int    `yaml:"top" json:"top" validate:"gte=1,lte=1000"`                      // documents per search
	ObservationChars int    `yaml:"observation-chars" json:"observation-chars" validate:"gte=100"` // shown per turn
	CacheMB          int    `yaml:"cache-mb" json:"cache-mb" validate:"gte=0"`                     // of results kept in memory; 0 for none
}

// Agent sets the ReAct loop.
type Agent struct {
	Dialect     string `yaml:"dialect" json:"dialect" validate:"oneof=auto native tags"`
	Turns       int    `yaml:"turns" json:"turns" validate:"gte=1"`
	FinalTokens int    `yaml:"final-tokens" json:"final-tokens" validate:"gte=1"` // kept for the last answer
}

// Rollout sets the K rollouts of a question.
type Rollout struct {
	Count       int     `yaml:"count" json:"count" validate:"gte=1,lte=10000"`
	Concurrency int     `yaml:"concurrency" json:"concurrency" validate:"gte=1,lte=100000"`
	FirstQuery  string  `yaml:"first-query" json:"first-query" validate:"oneof=divinit standard"`
	DivInit     DivInit `yaml:"divinit" json:"divinit"`
	Budget      Budget  `yaml:"budget" json:"budget"`
}

// DivInit sets the diversified first queries.
type DivInit struct {
	Pool        int     `yaml:"pool" json:"pool" validate:"gte=1"` // n candidates
	Lambda      float64 `yaml:"lambda" json:"lambda" validate:"gte=0,lte=1"`
	Temperature float64 `yaml:"temperature" json:"temperature" validate:"gte=0,lte=100"`
	Pick        string  `yaml:"pick" json:"pick" validate:"oneof=max-min random"`
	Turns       int     `yaml:"turns" json:"turns" validate:"gte=1"` // diversified turns; the paper's method is 1
}

// Recursion sets the rounds of a rollout (Re-TRAC): each begins in a summary of
// the one before.
type Recursion struct {
	Rounds    int    `yaml:"rounds" json:"rounds" validate:"gte=1,lte=1000"`
	Mode      string `yaml:"mode" json:"mode" validate:"oneof=per-thread merged"`      // each rollout goes on from its own summary, or all from one that unites theirs
	Variant   string `yaml:"variant" json:"variant" validate:"oneof=base full"`        // sections of a summary: five, or eight
	Continue  string `yaml:"continue" json:"continue" validate:"oneof=free-use plain"` // what a round is told of the summary: to be critical of it, or nothing
	EarlyStop bool   `yaml:"early-stop" json:"early-stop"`                             // no further rounds once the answer has settled
	Budget    Budget `yaml:"budget" json:"budget"`                                     // of all rounds of a rollout together, summaries included
}

// Budget bounds one rollout; 0 sets no bound.
type Budget struct {
	Tokens  int `yaml:"tokens" json:"tokens" validate:"gte=0"`
	Seconds int `yaml:"seconds" json:"seconds" validate:"gte=0,lte=1000000000"`
}

// Selection says how the answer is chosen.
type Selection struct {
	Selector   string `yaml:"selector" json:"selector" validate:"oneof=auto first random majority weighted best-of-n fewest-tools gnn solagg summagg aggagent"`
	Model      string `yaml:"model" json:"model"`                                         // checkpoint of the trained selector, made by trawl train
	Device     string `yaml:"device" json:"device" validate:"oneof=auto cpu cuda"`        // that the trained selector runs on
	Confidence string `yaml:"confidence" json:"confidence" validate:"oneof=stated asked"` // of weighted and best-of-n: as rollouts stated it, or asked of the aggregator for each finished rollout
	Subsets    int    `yaml:"subsets" json:"subsets" validate:"gte=1"`                    // of k rollouts of a question at most, for selectors that call a model
	Context    int    `yaml:"context" json:"context" validate:"gte=1000"`                 // tokens of aggagent's conversation, four characters each, beyond which it has to finish
	Price      Price  `yaml:"price" json:"price"`
}

// Price is what the aggregator's tokens cost, in USD per million; 0: no cost is
// worked out.
type Price struct {
	Prompt     float64 `yaml:"prompt" json:"prompt" validate:"gte=0,lte=1000000"`
	Completion float64 `yaml:"completion" json:"completion" validate:"gte=0,lte=1000000"`
}

// Default returns the settings that hold where nothing else is said: DivInit's
// (T=8, k=4, n=16, τ=1, top 10, 4,000 characters), and AggAgent's for the
// aggregators (τ=1, 10,000 tokens, three subsets, 102,400 tokens of context). The judge's
// temperature is 0, as with all the sources.
func Default() *Settings {
	zero, one, topP := 0.0, 1.0, 0.95
	return &Settings{
		Seed: 42,
		Models: Models{
			Agent: Model{
				Temperature: &one, TopP: &topP, MaxTokens: 2048, Timeout: 600, FirstToken: 300, Gap: 120, Retries: 8, RetryWait: 1,
			},
			Compressor: Role{Like: "agent", MaxTokens: 8192},
			Aggregator: Role{Like: "agent", Temperature: &one, TopP: &topP, MaxTokens: 10_000},
			Judge:      Role{Like: "agent", Temperature: &zero, MaxTokens: 2048},
			Embedder:   Embedder{Kind: "hashing", Timeout: 600, Retries: 8, RetryWait: 1, Batch: 16},
		},
		Retrieval: Retrieval{Top: 10, ObservationChars: 4000, CacheMB: 256},
		Agent:     Agent{Dialect: "auto", Turns: 8, FinalTokens: 512},
		Rollout: Rollout{
			Count: 4, Concurrency: 64, FirstQuery: "divinit",
			DivInit: DivInit{Pool: 16, Temperature: 1, Pick: "max-min", Turns: 1},
		},
		Recursion: Recursion{Rounds: 1, Mode: "per-thread", Variant: "base", Continue: "free-use"},
		Selection: Selection{Selector: "auto", Device: "auto", Confidence: "stated", Subsets: 3, Context: 102_400},
	}
}
