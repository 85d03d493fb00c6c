package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/cmd/likc/internal/cli"
)

// badFiles are the files that rows of badInputs name. Each has one mistake, except the first two, which are correct.
var badFiles = map[string]string{
	"ok.csv":          "rt,choice\n0.5,1\n0.6,-1\n0.7,1\n0.9,1\n0.8,-1\n",
	"many.csv":        "id,x,cond,rt,choice\n1,0.1,A,0.5,1\n1,0.2,B,0.6,-1\n2,0.3,A,0.7,1\n2,0.1,B,0.9,1\n3,0.5,A,0.8,-1\n3,0.4,B,0.75,1\n",
	"empty.csv":       "",
	"header.csv":      "rt,choice\n",
	"nohead.csv":      "0.5,1\n0.6,-1\n",
	"emptyrt.csv":     "rt,choice\n0.5,1\n,1\n",
	"text.csv":        "rt,choice\n0.5,1\nabc,1\n",
	"negative.csv":    "rt,choice\n0.5,1\n-0.2,1\n",
	"nan.csv":         "rt,choice\nNaN,1\n",
	"infinite.csv":    "rt,choice\n0.5,1\nInf,1\n",
	"huge.csv":        "rt,choice\n1e999,1\n",
	"mixed.csv":       "rt,choice\n0.5,1\n0.6,0\n0.7,-1\n",
	"three.csv":       "rt,choice\n0.5,1\n0.6,3\n",
	"emptychoice.csv": "rt,choice\n0.5,1\n0.6,\n",
	"omitted.csv":     "rt,choice\n0.5,1\n0.6,-999\n",
	"ms.csv":          "rt,choice\n500,1\n600,-1\n700,1\n",
	"same.csv":        "rt,rt,choice\n0.5,0.5,1\n",
	"ragged.csv":      "rt,choice\n0.5,1,3\n",
	"quote.csv":       "rt,choice\n\"0.5,1\n",
	"comma.csv":       "rt,choice\n\"0,5\",1\n",
	"words.csv":       "rt,answer\n0.5,left\n0.6,right\n",
	"ssd.csv":         "rt,ssd\n0.5,NA\n0.6,-0.2\n",
	"nochoice.csv":    "rt\n0.5\n",
	"short.parquet":   "PAR1",
	"short.csv.gz":    "\x1f\x8b\x08",
	"utf16.csv":       "\xff\xfer\x00t\x00",
	"bad.lik":         "model nonsense\n",
	"taken/notes.txt": "mine\n",
}

// badInputs are command lines with one mistake each, with the message and the exit status: 2 if the command line itself is wrong, 1 if a file or
// model that it names is wrong.
var badInputs = []struct {
	args   string // arguments of likc, quoted if they contain spaces
	stderr string // the message after "likc: "; after "…" any text may follow
	status int
}{
	{`power --help`, `power: no such command; likc --help lists them`, 2},
	{`fitt --help`, `fitt: no such command; did you mean fit? likc --help lists all`, 2},
	{`ablade expr2 --bank ok.csv`, `ablade: no such command; did you mean ablate? likc --help lists all`, 2},
	{`--nonsense`, `unknown flag: --nonsense; see likc --help`, 2},
	{`apply --data ok.csv --preset cavanagh-full`, `apply: needs VERDICTS.jsonl…, as likc judge writes them`, 2},
	{`apply V.jsonl --data ok.csv`, `apply: needs a study: --preset NAME or --formula`, 2},
	{`apply V.jsonl --data ok.csv --preset nosuch`, `--preset "nosuch": want one of cavanagh-simple, cavanagh-full`, 2},
	{`apply V.jsonl --data ok.csv --formula v~1`, `--formula: none has a term such as (1 | subj_idx): there are no participants to compare`, 2},
	{`apply V.jsonl --data ok.csv --preset cavanagh-full --top -1`, `--top -1: want 0 to 1000000`, 2},
	{`apply V.jsonl --data ok.csv --preset cavanagh-full --reference lognormal`, `--preset cavanagh-full wants a parameter v, which lognormal does not have`, 2},
	{`apply V.jsonl --data ok.csv --preset cavanagh-full`, `V.jsonl: no such file or directory`, 1},
	{`fit`, `fit: needs MODEL, got 0 arguments; see likc fit --help`, 2},
	{`fit nosuch --data ok.csv`, `nosuch: no such model; built in are …`, 1},
	{`fit ddm`, `--data: missing; name a CSV or Parquet file`, 2},
	{`fit ddm ok.csv`, `fit: needs MODEL, got ddm ok.csv; see likc fit --help`, 2},
	{`fit bad.lik --data ok.csv`, `bad.lik:2:1: unexpected end, expected "{"`, 1},
	{`fit ddm --data ok.csv --bogus`, `fit: unknown flag: --bogus; see likc fit --help`, 2},
	{`fit ddm --data ok.csv --draws 0`, `--draws 0: want a number from 1 to 10000000`, 2},
	{`fit ddm --data ok.csv --draws x`, `--draws: "x" is not a whole number; see likc fit --help`, 2},
	{`fit ddm --data ok.csv --chains 0`, `--chains 0: want a number from 1 to 1000`, 2},
	{`fit ddm --data ok.csv --warmup -1`, `--warmup -1: want a number from 0 to 10000000`, 2},
	{`fit ddm --data ok.csv --seed -1`, `--seed: "-1" is not a whole number from 0 to 18446744073709551615; see likc fit --help`, 2},
	{`fit ddm --data ok.csv --adapt-delta 1`, `--adapt-delta 1: want a number between 0 and 1`, 2},
	{`fit ddm --data ok.csv --max-depth 99`, `--max-depth 99: want a number from 1 to 20`, 2},
	{`fit ddm --data ok.csv --metric round`, `--metric round: want unit, diag, dense or, without --stan-warmup, low-rank`, 2},
	{`fit ddm --data ok.csv --engine fast`, `--engine fast: want tree, ir, bound or go`, 2},
	{`fit ddm --data ok.csv --threads -1`, `--threads -1: want 0 to 4096`, 2},
	{`fit ddm --data ok.csv --prior v`, `--prior v: want NAME=PRIOR, as in v=normal(0,2)`, 2},
	{`fit ddm --data ok.csv --prior q=normal(0,1)`, `--prior q: no such parameter; ddm has v, a, z, t`, 2},
	{`fit ddm --data ok.csv --prior v=normal(0,-1)`, `--prior v: prior "normal(0,-1)": sd must be positive`, 2},
	{`fit ddm --data ok.csv --prior v=gaussian(0,1)`, `--prior v: prior "gaussian(0,1)": "gaussian" is none of uniform, normal, truncnormal, lognormal, student_t, cauchy, halfnormal, halfcauchy, gamma, beta, exponential, weibull`, 2},
	{`fit ddm --data ok.csv --prior v=normal(0,1) --prior v=normal(0,2)`, `--prior v: given twice`, 2},
	{`fit ddm --data ok.csv --prior a=uniform(-3,-2)`, `prior a=uniform(low=-3,high=-2): nothing of it is possible: a must be positive`, 2},
	{`fit ddm --data ok.csv --prior-preset nice`, `--prior-preset nice: no such priors of ddm; it has flat, brms, hssm, paper`, 2},
	{`fit ddm --data ok.csv --range v=1`, `--range v: "1" is not LOW,HIGH`, 2},
	{`fit ddm --data ok.csv --range v=2,1`, `--range v: 2 is not below 1`, 2},
	{`fit ddm --data ok.csv --range a=-1,2`, `a cannot range over [-1, 2]: a must be positive`, 2},
	{`fit ddm --data ok.csv --range q=1,2`, `--range q: no such parameter; ddm has v, a, z, t`, 2},
	{`fit ddm --data ok.csv --range v=-inf,inf`, `v ranges over [-Inf, +Inf] without end: give it a prior`, 2},
	{`fit expr2 --data ok.csv --range v=-9,9`, `v cannot range over [-9, 9]: expr2 stands in for the density of ddm, and was made for v in [-3, 3] only`, 2},
	{`fit ddm --data ok.csv --fix z`, `--fix z: want NAME=VALUE, as in v=0.5`, 2},
	{`fit ddm --data ok.csv --fix z=2`, `z cannot be fixed at 2: z must be between 0 and 1`, 2},
	{`fit angle --data ok.csv --fix theta=2`, `theta cannot be fixed at 2: theta must be between -π/2 and π/2`, 2},
	{`fit angle --data ok.csv --range theta=-1,2`, `theta cannot range over [-1, 2]: theta must be between -π/2 and π/2`, 2},
	{`fit lba3 --data three.csv`, `three.csv: row 2 (line 3), column "choice": "3" is not a choice: want 0 to 2 (if other values stand for the choices, name them all, as in --response 1=0,2=1)`, 1},
	{`fit lba2 --data ok.csv`, `ok.csv: row 2 (line 3), column "choice": "-1" is not a choice: want 0 to 1 (if other values stand for the choices, name them all, as in --response 1=0,2=1)`, 1},
	{`fit stop_signal --data ok.csv`, `ok.csv: no column for ssd: the columns are rt, choice (name one with --column ssd=NAME)`, 1},
	{`fit stop_signal --data ssd.csv`, `ssd.csv: row 2 (line 3), column "ssd": -0.2: want 0 or a number above it, which the model asks of ssd`, 1},
	{`fit stop_signal --data ssd.csv --fix tf=1.5`, `tf cannot be fixed at 1.5: the sums for the integrals of stop_signal are chosen for tf in [0, 0.5] only; the file declares the range`, 2},
	{`fit hyperbolic --data ok.csv --range kappa=0,2`, `kappa cannot range over [0, 2]: hyperbolic is a teacher, trained on kappa in [0, 1] only`, 2},
	{`fit levy --data ok.csv --fix alpha=2.5`, `alpha cannot be fixed at 2.5: levy is a teacher, trained on alpha in [1, 2] only`, 2},
	{`eval angle --data ok.csv --theta v=1,a=1,z=.5,t=.2`, `--theta: no value for theta; want v=…,a=…,z=…,t=…,theta=…`, 2},
	{`judge levy --bank test-60`, `levy: the bank has no true values of its parameter alpha`, 1},
	{`confuse levy lba3`, `lba3: has the choices 0 1 2, but levy has the choices 1 -1: only models of the same choices can be compared`, 1},
	{`fit ddm --data ok.csv --fix z=x`, `--fix z: "x" is not a number`, 2},
	{`fit ddm --data ok.csv --fix z=0.5 --prior z=beta(2,2)`, `z is fixed: it has no prior`, 2},
	{`fit ddm --data ok.csv --fix z=0.5 --range z=0.4,0.6`, `z is fixed: it has no range`, 2},
	{`fit ddm --data ok.csv --fix t=0.6`, `t is fixed at 0.6: the data want it below 0.5`, 1},
	{`fit ddm --data ok.csv --fix v=0 --fix a=1 --fix z=0.5 --fix t=0.2`, `every parameter is fixed: there is nothing to fit`, 2},
	{`fit ddm --data ok.csv --lapse 0`, `--lapse 0: want a probability between 0 and 1, or a prior such as beta(1,20)`, 2},
	{`fit ddm --data ok.csv --lapse 1.5`, `--lapse 1.5: want a probability between 0 and 1, or a prior such as beta(1,20)`, 2},
	{`fit ddm --data ok.csv --lapse often`, `--lapse often: want a probability between 0 and 1, or a prior such as beta(1,20): prior "often": "often" is none of uniform, normal, truncnormal, lognormal, student_t, cauchy, halfnormal, halfcauchy, gamma, beta, exponential, weibull`, 2},
	{`fit ddm --data ok.csv --lapse 0.05 --lapse-window 3`, `--lapse-window 3: want LOW,HIGH in seconds, with 0 <= LOW < HIGH <= 1000000`, 2},
	{`fit ddm --data ok.csv --lapse 0.05 --lapse-window 0,0.6`, `--lapse-window: trial 3: no lapse has the response time 0.7 s: they are uniform from 0 to 0.6 s`, 1},
	{`fit ddm --data ok.csv --lapse 0.05 --fix lapse=0.1`, `--fix lapse: given twice`, 2},
	{`fit ddm --data ok.csv --lapse-window 0,3`, `--lapse-window: there are no lapses without --lapse`, 2},
	{`fit ddm --data ok.csv --deadline 0`, `--deadline 0: want seconds, more than 0 and at most 1000000, or the name of a column`, 2},
	{`fit ddm --data ok.csv --deadline 0.6`, `ok.csv: row 3 (line 4), column "rt": 0.7 s is after the deadline of 0.6 s: want the deadline at or above all response times, or no time in this row`, 1},
	{`fit ddm --data ok.csv --deadline limit`, `ok.csv: no column "limit" for the deadline; the columns are rt, choice`, 1},
	{`fit ddm --data ok.csv --min-rt 2`, `ok.csv: no row is left: 5 faster than 2 s`, 1},
	{`fit ddm --data ok.csv --min-rt -1`, `--min-rt -1: want 0 to 1e+06`, 2},
	{`fit ddm --data ok.csv --min-rt 3 --max-rt 2`, `--min-rt 3: want less than --max-rt 2`, 2},
	{`fit ddm --data ok.csv --unit minutes`, `--unit minutes: want one of s, ms`, 2},
	{`fit ddm --data ok.csv --response left`, `--response left: want TEXT=CHOICE, as in left=-1,right=1`, 2},
	{`fit ddm --data words.csv --choice answer --response left=5`, `--response left=5: want a choice of 1 or -1, or none, after =`, 2},
	{`fit ddm --data words.csv --choice answer --response left=1`, `words.csv: row 2 (line 3), column "answer": "right" is none of the named responses: left (name it too: as a choice, or as none if nobody responded)`, 1},
	{`fit ddm --data words.csv --choice answer --response left=1,left=-1`, `--response left: given twice`, 2},
	{`fit ddm --data words.csv --choice answer`, `words.csv: row 1 (line 2), column "answer": "left" is not a choice: want +1/-1, 1/0 or upper/lower (the column holds left, right: say what each means, as in --response left=-1,right=1; 1 is the upper boundary)`, 1},
	{`fit ddm --data words.csv`, `words.csv: no column for choice: the columns are rt, answer (name one with --choice NAME)`, 1},
	{`fit ddm --data ok.csv --rt latency`, `ok.csv: no column "latency": the columns are rt, choice (name one with --rt NAME)`, 1},
	{`fit ddm --data ok.csv --column q=rt`, `--column q=rt: want SYMBOL=NAME with SYMBOL one of rt, choice`, 2},
	{`fit ddm --data ok.csv --column rt`, `--column rt: want SYMBOL=NAME with SYMBOL one of rt, choice`, 2},
	{`fit ddm --data ok.csv --subject id`, `ok.csv: no column "id": the columns are rt, choice (name one with --subject NAME)`, 1},
	{`fit ddm --data many.csv`, `many.csv: column "id" names 3 subjects (fit all together with (1 | id) in a --formula, each with --subject id, one with --only ID, or all as one person with --pool)`, 1},
	{`fit ddm --data many.csv --only 9`, `many.csv: no subject "9" in column "id": the subjects are 1, 2, 3`, 1},
	{`fit ddm --data many.csv --pool --subject id`, `--pool: not with --subject, because trials of the model ddm do not depend on one another`, 2},
	{`fit ddm --data nowhere.csv`, `nowhere.csv: no such file or directory`, 1},
	{`fit ddm --data taken`, `taken: is a directory: want a CSV or Parquet file`, 1},
	{`fit ddm --data empty.csv`, `empty.csv: empty: want a header and a row a trial`, 1},
	{`fit ddm --data header.csv`, `header.csv: no data row: want a row a trial under the header`, 1},
	{`fit ddm --data nohead.csv`, `nohead.csv: no header: the first row holds numbers, want the names of the columns`, 1},
	{`fit ddm --data emptyrt.csv`, `emptyrt.csv: row 2 (line 3), column "rt": empty: want a number (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`, 1},
	{`fit ddm --data text.csv`, `text.csv: row 2 (line 3), column "rt": "abc" is not a number`, 1},
	{`fit ddm --data negative.csv`, `negative.csv: row 2 (line 3), column "rt": -0.2 is not a response time: want seconds > 0`, 1},
	{`fit ddm --data nan.csv`, `nan.csv: row 1 (line 2), column "rt": NaN: want a number (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`, 1},
	{`fit ddm --data infinite.csv`, `infinite.csv: row 2 (line 3), column "rt": infinite: want a finite number`, 1},
	{`fit ddm --data huge.csv`, `huge.csv: row 1 (line 2), column "rt": "1e999" is too large for a number`, 1},
	{`fit ddm --data mixed.csv`, `mixed.csv: column "choice": mixes codings: 0 at row 2 (line 3) and -1 at row 3 (line 4): want +1/-1, 1/0 or upper/lower`, 1},
	{`fit ddm --data three.csv`, `three.csv: row 2 (line 3), column "choice": 3 is not a choice: want +1/-1, 1/0 or upper/lower (say what the column holds, as in --response left=-1,right=1; 1 is the upper boundary)`, 1},
	{`fit ddm --data emptychoice.csv`, `emptychoice.csv: row 2 (line 3), column "choice": empty: want a choice, +1/-1, 1/0 or upper/lower (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`, 1},
	{`fit ddm --data omitted.csv`, `omitted.csv: row 2 (line 3), column "choice": -999 is not a choice: want +1/-1, 1/0 or upper/lower (--drop-missing leaves out all such rows; if they are timeouts, --deadline uses them)`, 1},
	{`fit ddm --data ms.csv`, `ms.csv: column "rt": the median is 600: are these milliseconds? want seconds (give --unit ms, or --unit s if they are seconds)`, 1},
	{`fit ddm --data same.csv`, `same.csv: header: two columns are named "rt" (columns 1 and 2): rename one`, 1},
	{`fit ddm --data ragged.csv`, `ragged.csv: row 1 (line 2): 3 values where the header has 2`, 1},
	{`fit ddm --data quote.csv`, `quote.csv: row 1: line 2, character 8: a quoted field does not end as it should (write "" for a quote inside)`, 1},
	{`fit ddm --data comma.csv`, `comma.csv: row 1 (line 2), column "rt": "0,5" is not a number: want a decimal point, not a comma`, 1},
	{`fit ddm --data nochoice.csv`, `nochoice.csv: no column for choice: the columns are rt (name one with --choice NAME)`, 1},
	{`fit ddm --data short.parquet`, `short.parquet: not a Parquet file: too short`, 1},
	{`fit ddm --data short.csv.gz`, `short.csv.gz: gzip: the file is cut short`, 1},
	{`fit ddm --data utf16.csv`, `utf16.csv: is UTF-16 text: save it as UTF-8`, 1},
	{`fit ddm --data many.csv --formula v`, `--formula "v": formula:1:2: unexpected end, expected "~"`, 2},
	{`fit ddm --data many.csv --formula 'v ~'`, `--formula "v ~": formula:1:4: unexpected end, expected a term`, 2},
	{`fit ddm --data many.csv --formula 'q ~ 1'`, `--formula "q ~ 1": ddm has no parameter q; it has v, a, z, t`, 2},
	{`fit ddm --data many.csv --formula 'v ~ 1 + y + (1 | id)'`, `many.csv: no column "y": the columns are id, x, cond, rt, choice`, 1},
	{`fit ddm --data many.csv --formula 'v ~ 1 + (1 | id'`, `--formula "v ~ 1 + (1 | id": formula:1:16: unexpected end, expected an operator or ")"`, 2},
	{`fit ddm --data many.csv --formula 'v ~ 1 + log(x) + (1 | id)'`, `--formula "v ~ 1 + log(x) + (1 | id)": formula:1:9: unknown function "log", expected C, I, center, offset or scale`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --formula 'v ~ 1'`, `--formula "v ~ 1": v has a formula already`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --prior v_y=normal(0,1)`, `prior of v_y: no such coefficient; there are v_Intercept, v_x, v_1|id_sigma, a, z, t`, 1},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --link a=log`, `--link a=log: want NAME=LINK of a parameter with a formula`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --link v=probit`, `--link v: "probit" is no link: want identity, log or logit`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --effects both`, `--effects "both": want auto, centred or non-centred`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --fix v=1`, `--fix v: it has a formula`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --formula 'lapse ~ x' --lapse 0.05`, `--formula of lapse: the probability of a lapse is one number, and --lapse is its prior`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --formula 'lapse ~ x'`, `--formula "lapse ~ x": ddm has no parameter lapse; it has v, a, z, t`, 2},
	{`fit expr2 --data many.csv --formula 'v ~ x + (1 | id)' --lapse 0.05`, `--lapse: expr2 is no density that lapses can be mixed with: it is not normalised: it integrates to 1.32 to 2.91 over time and all choices, at 5 points of the ranges`, 1},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --lapse-window 0,2`, `--lapse-window: there are no lapses without --lapse`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --prior-preset flat --prior-only`, `posterior: parameter v_Intercept: a uniform prior over an infinite range cannot be drawn from: give it another prior`, 1},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --prior-preset nice`, `--prior-preset nice: no such priors of ddm; it has flat, brms, hssm, paper`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --prior-preset brms --prior-only`, `posterior: parameter v_x: a uniform prior over an infinite range cannot be drawn from: give it another prior`, 1},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --by cond`, `--by cond: needs -o DIR, where the figures are written`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --predictive 5`, `--predictive 5: needs -o DIR, where the trials are written`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --resume`, `--resume: needs -o DIR of the fit that was ended`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --preset cavanagh-full`, `--formula and --preset: give one of them`, 2},
	{`fit ddm --data many.csv --formula 'v ~ x + (1 | id)' --only 1`, `--formula: formula of v: formula:1:14: grouping id has only one level, expected 2 to 100000`, 2},
	{`fit ddm --data many.csv --formula 'v ~ C(cond, reference="Z") + (1 | id)'`, `--formula: formula of v: formula:1:5: reference "Z" is not a level of column "cond", expected one of A, B`, 2},
	{`fit ddm --data many.csv --preset nice`, `--preset "nice": want one of cavanagh-simple, cavanagh-full`, 2},
	{`fit ddm --data ok.csv --effects centred`, `--effects: only with --formula or --preset`, 2},
	{`fit ddm --data ok.csv --link a=log`, `--link: only with --formula or --preset`, 2},
	{`fit ddm --data ok.csv --by cond`, `--by cond: needs -o DIR, where the figures are written`, 2},
	{`fit ddm --data ok.csv --by cond -o new`, `ok.csv: no column "cond": the columns are rt, choice`, 1},
	{`fit ddm --data ok.csv --predictive 5`, `--predictive 5: needs -o DIR, where the trials are written`, 2},
	{`fit ddm --data ok.csv --predictive -1 -o new`, `--predictive -1: want 0 to 100000`, 2},
	{`fit ddm --data ok.csv --map --predictive 5 -o new`, `--predictive 5: not with --map: a posterior mode has no draws`, 2},
	{`fit ddm --data many.csv --map --by cond --pool -o new`, `--by cond: not with --map: a posterior mode has no figures`, 2},
	{`fit ddm --data ok.csv --map --prior-only`, `--prior-only and --map: give one of them`, 2},
	{`fit ddm --data ok.csv --resume`, `--resume: needs -o DIR of the fit that was ended`, 2},
	{`fit ddm --data ok.csv --resume --map -o new`, `--resume: a posterior mode is found at once: there is nothing to go on from`, 2},
	{`fit ddm --data ok.csv --log-lik`, `--log-lik: needs -o DIR, where the file is written`, 2},
	{`fit ddm --data ok.csv --log-lik --no-loo -o new`, `--log-lik and --no-loo: give one of them`, 2},
	{`fit ddm --data ok.csv --png`, `--png: needs -o DIR, where the figures are written`, 2},
	{`fit ddm --data ok.csv --png --no-figures -o new`, `--png: there are no figures with --no-figures`, 2},
	{`fit ddm --data ok.csv --all-figures`, `--all-figures: needs -o DIR, where the figures are written`, 2},
	{`fit ddm --data ok.csv -o taken`, `--output taken: holds notes.txt, which is not a fit's; name a new folder`, 2},
	{`fit ddm --data ok.csv -o ok.csv`, `--output ok.csv: is ok.csv, which is read: name another place`, 2},
	{`fit --again nowhere`, `--again nowhere/summary.json: no such file or directory`, 1},
	{`fit --again taken`, `--again taken/summary.json: no such file or directory`, 1},
	{`fit --again`, `fit: flag needs an argument: --again; see likc fit --help`, 2},
	{`compare`, `compare: needs FIT…: folders of likc fit -o`, 2},
	{`compare nowhere other`, `nowhere: is no folder of likc fit -o: it has no summary.json`, 1},
	{`contrast`, `contrast: needs FIT EXPR…: a folder of likc fit, and what to compute, as in 'v[conf=HC] - v[conf=LC]'`, 2},
	{`contrast taken ` + strings.Repeat("v+", 300), `contrast "` + strings.Repeat("v+", 20) + `...": formula:1:601: unexpected end, expected a parameter, a number or a sign`, 2},
	{`contrast taken v`, `taken: is no folder of likc fit -o: it has no summary.json`, 1},
	{`report taken -o new.html`, `taken: is no folder that has a report: want that of a run (plan.json), of a sweep (sweep.json), or of fits (summary.json)`, 1},
	{`ppc ddm`, `--bank: missing; name the folder of a bank, as likc bank make writes it`, 2},
	{`ppc ddm --fit taken --data ok.csv`, `--fit taken: is no folder of likc fit -o: it has no summary.json`, 1},
	{`ppc ddm --fit taken --data ok.csv --trials 9000000000000000000`, `--trials 9000000000000000000: want 1 to 1000000`, 2},
	{`ppc ddm expr2 --fit taken --data ok.csv`, `--fit taken: needs one MODEL, the one that was fitted`, 2},
	{`recover ddm --subjects 0`, `--subjects 0: want 1 to 100000`, 2},
	{`recover nosuch`, `nosuch: no such model; built in are …`, 1},
	{`confuse ddm`, `confuse: needs MODEL MODEL…: at least two models to tell apart`, 2},
	{`confuse ddm exgaussian`, `exgaussian: has no choice, but ddm has the choices 1 -1: only models of the same choices can be compared`, 1},
	{`confuse ddm ddm_sdv --fix q=1`, `--fix q: no model has such a parameter`, 2},
	{`diagnose nowhere.csv`, `nowhere.csv: no such file or directory`, 1},
}

// TestBadInputs: for every mistake likc prints one line that says what is wrong and where, and it writes no file.
func TestBadInputs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range badFiles {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, bad := range badInputs {
		t.Run(bad.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			root := newRoot()
			root.SetOut(&stdout)
			root.SetErr(&stderr)
			args := word.FindAllString(bad.args, -1)
			for i := range args {
				args[i] = strings.Trim(args[i], "'")
			}
			root.SetArgs(args)
			err := execute(context.Background(), root)
			if err == nil {
				t.Fatalf("no error; printed %s", &stdout)
			}
			want, begins := strings.CutSuffix(bad.stderr, "…")
			if got := cli.OneLine(err); got != want && !(begins && strings.HasPrefix(got, want)) || exitStatus(err) != bad.status {
				t.Errorf("exit status %d, want %d\n got %s\nwant %s", exitStatus(err), bad.status, got, bad.stderr)
			}
			if stdout.Len() > 0 || stderr.Len() > 0 {
				t.Errorf("printed besides: %s%s", &stdout, &stderr)
			}
		})
	}
	if left := filesBelow(t, dir); !slices.Equal(left, slices.Sorted(maps.Keys(badFiles))) {
		t.Errorf("left behind: %v", left)
	}
}

// filesBelow lists files and empty folders.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name, _ := filepath.Rel(dir, path); !d.IsDir() {
			names = append(names, filepath.ToSlash(name))
		} else if inside, _ := os.ReadDir(path); len(inside) == 0 {
			names = append(names, name+"/")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
