// The types of the API, written by scripts/make_page_types.py: do not edit.
export type Value = string | number | boolean | string[] | number[] | null | undefined;
export interface PageState {
  server: Holdings;
  index: string;
  about: IndexSummary;
  where: string[];
  params: URLSearchParams;
  view: string;
  refresh: () => Promise<void>;
}
export interface AlignAnswer {
  schema: "lexfield.align/1";
  provenance: Provenance;
  results: (AlignedPair)[];
  notes: (string)[];
}
export interface AlignedPair {
  similarity: number;
  a: AlignedSentence;
  b: AlignedSentence;
}
export interface AlignedSentence {
  id: string;
  document: string;
  sentence: number;
  metadata: Record<string, string>;
  text: string;
}
export interface AnyAnswer {
  schema: string;
  provenance: Provenance;
  results: (Record<string, any>)[];
  notes: (string)[];
}
export interface AttributeAnswer {
  schema: "lexfield.attribute/1";
  provenance: Provenance;
  by: string;
  method: AttributionMethod;
  calibration: Calibration;
  auc?: number;
  results: (AttributedText)[];
  notes: (string)[];
}
export interface AttributedText {
  id: string;
  label: string | null;
  probability: number | null;
  words: number;
  accuracy: number;
  interval: [number, number];
  candidates: (CandidateAuthor)[];
  evidence: (Clue)[];
  known?: string;
  right?: boolean;
  method?: AttributionMethod;
}
export interface AttributionMethod {
  features: (string)[];
  rule: string;
  measure: string;
  weights: Record<string, number>;
  tried: (Trial)[];
}
export interface BagAnswer {
  schema: "lexfield.bag/1";
  provenance: Provenance;
  ngram: number;
  types: number;
  tokens: number;
  included?: boolean;
  results: (NgramRow)[];
  notes: (string)[];
}
export interface BagsAnswer {
  schema: "lexfield.bags/1";
  provenance: Provenance;
  matches?: number;
  results: (HitRow)[];
  notes: (string)[];
}
export interface Ball {
  word: string;
  known: boolean;
  inside: boolean;
  ball: (BallWord)[];
}
export interface BallWord {
  word: string;
  distance: number;
}
export interface BallsAnswer {
  schema: "lexfield.balls/1";
  provenance: Provenance;
  results: (Ball)[];
  notes: (string)[];
}
export interface Bin {
  low: number;
  high: number;
  documents: number;
  mean_probability: number;
  right: number;
}
export interface Calibration {
  documents: number;
  texts: number;
  accuracy: number;
  mean_probability: number;
  error: number;
  log_loss: number;
  bins: (Bin)[];
}
export interface CandidateAuthor {
  label: string;
  probability: number;
  score?: number;
  verified?: number;
}
export interface Change {
  low: number;
  near: number;
  high: number;
  before: string;
  after: string;
}
export interface Clue {
  feature: string;
  type: string;
  text_rate: number;
  author_rate: number;
  next_rate: number;
  context: string;
}
export interface Cluster {
  cluster: number;
  members: (Member)[];
  earliest?: string | null;
}
export interface ClusterNumber {
  k: number;
  silhouette: number;
  inertia: number;
}
export interface ClustersAnswer {
  schema: "lexfield.clusters/1";
  provenance: Provenance;
  name: string;
  k: number;
  slope: number;
  r2: number;
  results: (SentenceCluster)[];
  notes: (string)[];
}
export interface CompareAnswer {
  schema: "lexfield.compare/1";
  provenance: Provenance;
  results: (Divergence)[];
  notes: (string)[];
}
export interface Context {
  document: string;
  sentence: number;
  left: string;
  match: string;
  right: string;
}
export interface CurvePoint {
  similarity: number;
  neighbours: number;
}
export interface DescribeVectorsAnswer {
  schema: "lexfield.vectors.info/1";
  provenance: Provenance;
  results: (DescribedSet)[];
  notes: (string)[];
}
export interface DescribedSet {
  name: string;
  words: number;
  dims: number;
  first: string;
  last: string;
}
export interface DistinctiveWords {
  document: string;
  words: (ScoredWord)[];
}
export interface Divergence {
  a: string;
  b: string;
  value: number | null;
  possible: boolean;
  unit: string;
  measure: string;
  space: string;
  interval: (number)[] | null;
  p: number | null;
  n: number;
  m: number;
  dropped: (number)[];
  entropy: (number)[];
  explanation?: Record<string, any>;
}
export interface DocumentRow {
  id: string;
  tokens: number;
  metadata: Record<string, string>;
}
export interface DocumentsAnswer {
  schema: "lexfield.documents/1";
  provenance: Provenance;
  total: number;
  start: number;
  results: (DocumentRow)[];
  notes: (string)[];
}
export interface DuplicatesAnswer {
  schema: "lexfield.duplicates/1";
  provenance: Provenance;
  results: (Pair)[];
  notes: (string)[];
}
export interface EvaluateAnswer {
  schema: "lexfield.evaluate/1";
  provenance: Provenance;
  run: string;
  queries: number;
  measures: Record<string, number>;
  results: (Record<string, any>)[];
  notes: (string)[];
}
export interface EvaluateMetricAnswer {
  schema: "lexfield.metric.evaluate/1";
  provenance: Provenance;
  verdict: string;
  results: (HeldOutScore)[];
  notes: (string)[];
}
export interface Evidence {
  id: string;
  predicted: string;
  rather_than: string;
  nearest: (NearDocument)[];
  words: (TellingWord)[];
}
export interface Exponent {
  value: number;
  interval: [number, number];
  beta: number;
  vocabulary: number;
  p: number;
}
export interface Facet {
  field: string;
  kind: "date" | "number" | "values";
  values: (FacetValue)[];
  distinct: number;
  missing: number;
  low: number | string | null;
  high: number | string | null;
}
export interface FacetValue {
  value: string;
  count: number;
}
export interface FacetsAnswer {
  schema: "lexfield.facets/1";
  provenance: Provenance;
  documents: number;
  results: (Facet)[];
  notes: (string)[];
}
export interface FileCheck {
  file: string;
  bytes: number;
  problem?: string;
}
export interface FindTopicNeighboursAnswer {
  schema: "lexfield.topics.neighbours/1";
  provenance: Provenance;
  measure: string;
  neighbours: string;
  rows: number;
  candidates: number;
  exact: boolean;
  results: (TopicNeighbour)[];
  notes: (string)[];
}
export interface Fit {
  name: string;
  parameters: Record<string, number>;
  points: number;
  r2?: number | null;
  log_likelihood?: number | null;
  distance?: number | null;
  ratio?: number | null;
  p?: number | null;
}
export interface FittedCurve {
  name: string;
  rank: (number)[];
  count: (number)[];
}
export interface FuseAnswer {
  schema: "lexfield.fuse/1";
  provenance: Provenance;
  results: (FusedRow)[];
  notes: (string)[];
}
export interface FusedRow {
  rank: number;
  id: string;
  score: number;
  parts: (Part)[];
  query?: string;
}
export interface Health {
  status: "ok";
  version: string;
  indexes: number;
  ready: boolean;
}
export interface HeldOutScore {
  measure: string;
  euclidean: number;
  metric: number;
  difference: number;
  low: number;
  high: number;
  queries: number;
}
export interface Highlight {
  start: number;
  end: number;
  query: string;
  weight: number;
}
export interface HitRow {
  rank: number;
  id: string;
  score: number;
  chance: number | null;
  text: string;
  excerpt: boolean;
  passages: (PassageRow)[];
  source: string;
  document: string;
  position: number;
  metadata: Record<string, string>;
  query?: string;
  method?: string;
  words?: string;
  differs?: (string)[];
  explanation?: Record<string, any> | null;
  context?: string;
}
export interface Holdings {
  indexes: (IndexSummary)[];
  models: (ModelsSummary)[];
  vectors: (string)[];
  methods: (string)[];
  limits: Record<string, number>;
  damaged: Record<string, string>;
}
export interface IndexInfo {
  path: string;
  generation: number;
  bytes: number;
  parts: Record<string, number>;
  documents: number;
  deleted: number;
  segments: number;
  sentences: number;
  tokens: number;
  words: number;
  language: string;
  normalisation: Record<string, boolean | string>;
  vectors: Record<string, any>;
  metadata: Record<string, Record<string, number>>;
  topics: boolean;
  encoder?: Record<string, any> | null;
  shards?: (Record<string, any>)[];
}
export interface IndexSummary {
  id: string;
  documents: number;
  sentences: number;
  tokens: number;
  words: number;
  language: string;
  vectors: string;
  topics: boolean;
  metadata: Record<string, Record<string, number>>;
  uploaded: boolean;
}
export interface InferAnswer {
  schema: "lexfield.topics.infer/1";
  provenance: Provenance;
  results: (TextTopics)[];
  notes: (string)[];
}
export interface InfoAnswer {
  schema: "lexfield.info/1";
  provenance: Provenance;
  results: (IndexInfo)[];
  notes: (string)[];
}
export interface InspireAnswer {
  schema: "lexfield.inspire/1";
  provenance: Provenance;
  asked: string;
  method: string;
  results: (Suggestion)[];
  notes: (string)[];
}
export interface Job {
  id: string;
  verb: string;
  index: string | null;
  state?: "cancelled" | "done" | "failed" | "running" | "waiting";
  stage?: string;
  done?: number;
  total?: number | null;
  problem?: Record<string, string> | null;
  created?: string;
}
export interface KeyWord {
  word: string;
  more_in: string;
  count_a: number;
  count_b: number;
  million_a: number;
  million_b: number;
  g2: number;
  p: number;
  log_ratio: number;
  diff: number;
}
export interface KeynessAnswer {
  schema: "lexfield.keyness/1";
  provenance: Provenance;
  a: string;
  b: string;
  tested: number;
  found: number;
  results: (KeyWord)[];
  notes: (string)[];
}
export interface KwicAnswer {
  schema: "lexfield.kwic/1";
  provenance: Provenance;
  totals: Record<string, number>;
  results: (Context)[];
  notes: (string)[];
}
export interface LabelAnswer {
  schema: "lexfield.label/1";
  provenance: Provenance;
  by: string;
  accuracy?: number;
  right?: number;
  documents?: number;
  confusion?: Record<string, Record<string, number>>;
  predicted?: string;
  rule?: string;
  evidence?: Evidence;
  results: (LabelRow)[];
  notes: (string)[];
}
export interface LabelRow {
  label: string;
  id?: string;
  predicted?: string;
  right?: boolean;
  divergence?: number;
}
export interface LanguageCount {
  language: string;
  documents: number;
}
export interface LayoutAnswer {
  schema: "lexfield.layout/1";
  provenance: Provenance;
  results: (PlacedWord)[];
  notes: (string)[];
}
export interface ListMetricsAnswer {
  schema: "lexfield.metric.list/1";
  provenance: Provenance;
  results: (MetricSummary)[];
  notes: (string)[];
}
export interface ListVectorsAnswer {
  schema: "lexfield.vectors.list/1";
  provenance: Provenance;
  results: (VectorSet)[];
  notes: (string)[];
}
export interface MapAnswer {
  schema: "lexfield.map/1";
  provenance: Provenance;
  title: string;
  layout: string;
  seed: number;
  results: (PlacedDocument)[];
  notes: (string)[];
}
export interface MeasureUncertaintyAnswer {
  schema: "lexfield.vectors.uncertainty/1";
  provenance: Provenance;
  results: (UncertainStep)[];
  notes: (string)[];
}
export interface Member {
  document: string;
  start: number;
  end: number;
  date?: string | null;
}
export interface MethodRow {
  name: string;
  use: string;
  does: string;
  cost: string;
  paper: string;
  page: string;
}
export interface MethodsAnswer {
  schema: "lexfield.methods/1";
  provenance: Provenance;
  results: (MethodRow)[];
  notes: (string)[];
}
export interface MetricSummary {
  name: string;
  by: string;
  unit: string;
  clusters: number;
  rows: number;
  rank: number;
  dims: number;
  shrinkage: number;
  weights: string;
  before: number | null;
  after: number | null;
  topics: boolean;
}
export interface ModelsSummary {
  id: string;
  dims: (number)[];
  models: number;
  words: number;
}
export interface NearAnswer {
  schema: "lexfield.near/1";
  provenance: Provenance;
  results: (NearWord)[];
  notes: (string)[];
}
export interface NearDocument {
  id: string;
  label: string;
  divergence: number;
}
export interface NearWord {
  word: string;
  similarity: number;
  distance: number;
  query?: string;
  deviation?: number;
  share?: number;
  best_rank?: number;
  worst_rank?: number;
}
export interface NgramRow {
  type: string;
  count: number;
  frequency: number;
}
export interface NullModel {
  model: string;
  slope: number;
  r2: number;
  slopes: (number)[];
  difference: number;
  low: number | null;
  high: number | null;
  p: number | null;
}
export interface OverviewAnswer {
  schema: "lexfield.overview/1";
  provenance: Provenance;
  documents: number;
  sentences: number;
  words: number;
  languages: (LanguageCount)[];
  fields: (string)[];
  distinctive: (DistinctiveWords)[];
  unusual: (UnusualSentence)[];
  questions: (Question)[];
  results: (DistinctiveWords)[];
  notes: (string)[];
}
export interface Pair {
  a: string;
  b: string;
  similarity: number;
  text_a: string;
  text_b: string;
}
export interface PairDivergence {
  a: string;
  b: string;
  k: number | null;
  value: number | null;
}
export interface PairsAnswer {
  schema: "lexfield.pairs/1";
  provenance: Provenance;
  results: (PairDivergence)[];
  notes: (string)[];
}
export interface Part {
  list: string;
  rank: number;
  score: number;
  normalised: number;
  contribution: number;
}
export interface PassagePair {
  a: Span;
  b: Span;
  kind: "edited" | "reworded" | "verbatim";
  score: number;
  chance: number;
  identical: number;
  cluster: number;
  alignment: (Step)[];
}
export interface PassageRow {
  id: string;
  text: string;
  position: number;
  sentence: number;
  score: number;
  highlights: (Highlight)[];
}
export interface Paste {
  id: string;
  characters: number;
  text?: string;
}
export interface PlacedDocument {
  id: string;
  x: number;
  y: number;
  order: number | null;
  metadata: Record<string, string>;
}
export interface PlacedWord {
  word: string;
  x: number;
  y: number;
  speech: string;
  count: number;
  corpus?: string;
}
export interface PredictAnswer {
  schema: "lexfield.predict/1";
  provenance: Provenance;
  by: string;
  level: number;
  documents: number;
  error: number;
  without_style: number;
  results: (PredictedNumber)[];
  notes: (string)[];
}
export interface PredictedNumber {
  id: string;
  value: number | null;
  low: number | null;
  high: number | null;
  known?: number;
}
export interface Preview {
  columns: (PreviewColumn)[];
  rows: (Record<string, string>)[];
}
export interface PreviewColumn {
  name: string;
  role: "id" | "metadata" | "text" | "title";
}
export interface Problem {
  error: string;
  hint: string;
}
export interface Provenance {
  request: string;
  stores?: (StoreState)[];
}
export interface Question {
  text: string;
  view: "compare" | "map" | "search" | "topics" | "trends";
  parameters: Record<string, string>;
}
export interface Rank {
  rank: number;
  count: number;
  label: string;
}
export interface ReadSentence {
  id: string;
  sentence: number;
  start: number;
  end: number;
  text: string;
  paragraph: boolean;
}
export interface ReuseAnswer {
  schema: "lexfield.reuse/1";
  provenance: Provenance;
  documents: number;
  clusters: (Cluster)[];
  results: (PassagePair)[];
  notes: (string)[];
}
export interface RollingAnswer {
  schema: "lexfield.rolling/1";
  provenance: Provenance;
  id: string;
  by: string;
  window: number;
  changes: (Change)[];
  method: AttributionMethod;
  calibration: Calibration;
  results: (Window)[];
  notes: (string)[];
}
export interface RunAnswer {
  schema: "lexfield.run/1";
  provenance: Provenance;
  results: (RunRow)[];
  notes: (string)[];
}
export interface RunRow {
  run?: string | null;
  method?: string;
  queries?: number;
  unanswered?: number;
  hits?: number;
  query?: string;
  rank?: number;
  id?: string;
  score?: number;
}
export interface SameClass {
  k: number;
  share: number;
  by_chance: number;
  above: number;
}
export interface ScoredWord {
  word: string;
  score: number;
}
export interface SearchAnswer {
  schema: "lexfield.search/1";
  provenance: Provenance;
  matches?: number;
  results: (HitRow)[];
  notes: (string)[];
}
export interface SentenceCluster {
  rank: number;
  size: number;
  words: (string)[];
  radius: number;
  nearest: (string)[];
  farthest: (string)[];
}
export interface Share {
  speech: string;
  tokens: number;
  token_share: number;
  types: number;
  type_share: number;
}
export interface ShowAnswer {
  schema: "lexfield.show/1";
  provenance: Provenance;
  document: string;
  metadata: Record<string, string>;
  sentences: number;
  characters: number;
  start: number;
  results: (ReadSentence)[];
  notes: (string)[];
}
export interface Slope {
  k: number;
  slope: number;
  low: number;
  high: number;
  r2: number;
}
export interface Snippets {
  command: string;
  python: string;
  curl: string;
}
export interface Span {
  document: string;
  start: number;
  end: number;
  sentences: [number, number];
  words: number;
  text: string;
}
export interface SpeechAnswer {
  schema: "lexfield.speech/1";
  provenance: Provenance;
  results: (SpeechRow)[];
  notes: (string)[];
}
export interface SpeechRow {
  name: string;
  vectors: string;
  embedded: number;
  shares: (Share)[];
  neighbours: (SameClass)[];
}
export interface Step {
  op: "identical" | "only in a" | "only in b" | "similar" | "stem";
  a: [number, number] | null;
  b: [number, number] | null;
  similarity?: number | null;
  moved?: boolean;
}
export interface StoreState {
  path: string;
  generation: string;
  root: string;
}
export interface Suggestion {
  text: string;
  went_on: string;
  id: string;
  score: number;
  takes_up: (string)[];
  words: string;
}
export interface TellingWord {
  word: string;
  part: number;
}
export interface TextAnswer {
  schema: "lexfield.text/1";
  provenance: Provenance;
  document: string;
  metadata: Record<string, string>;
  sentences: number;
  characters: number;
  start: number;
  results: (ReadSentence)[];
  notes: (string)[];
}
export interface TextFigures {
  tokens: number;
  types: number;
  ratio: number;
  ratio_of_1000: number | null;
  once: number;
  heaps_k: number | null;
  heaps_b: number | null;
  unembedded: number | null;
  sentences: number;
}
export interface TextTopics {
  topics: (TopicWeight)[];
  text?: string;
  document?: string;
}
export interface ThresholdAnswer {
  schema: "lexfield.threshold/1";
  provenance: Provenance;
  threshold: number;
  interval: (number)[];
  synonyms: number;
  deviation: number;
  words: number;
  error: number;
  wordnet: WordNetThreshold | null;
  curve: (CurvePoint)[];
  word_curves: (WordCurve)[];
  results: (ThresholdRow)[];
  notes: (string)[];
}
export interface ThresholdRow {
  vectors: string;
  dims: number;
  threshold: number;
  low: number;
  high: number;
}
export interface TopicNeighbour {
  rank: number;
  document: string;
  distance: number;
}
export interface TopicShare {
  topic: number;
  value: string;
  share: number;
  words: number;
}
export interface TopicSharesAnswer {
  schema: "lexfield.topics.shares/1";
  provenance: Provenance;
  by: string | null;
  results: (TopicShare)[];
  notes: (string)[];
}
export interface TopicSummary {
  topic: number;
  share: number;
  coherence: number;
  words: string;
}
export interface TopicWeight {
  topic: number;
  weight: number;
  name: string;
}
export interface TopicsAnswer {
  schema: "lexfield.topics.show/1";
  provenance: Provenance;
  results: (TopicSummary)[];
  notes: (string)[];
}
export interface TrendAnswer {
  schema: "lexfield.trend/1";
  provenance: Provenance;
  by: string | null;
  kind: string;
  results: (TrendPoint)[];
  notes: (string)[];
}
export interface TrendPoint {
  series: string;
  value: number | string;
  label: string;
  count: number;
  total: number;
  share: number;
  low: number;
  high: number;
  where?: (string)[];
  id?: string;
}
export interface Trial {
  rule: string;
  accuracy: number;
  log_loss: number;
}
export interface UncertainStep {
  models: string;
  similarity: number;
  uncertainty: number;
  pairs: number;
}
export interface UnusualSentence {
  id: string;
  document: string;
  text: string;
  why: string;
}
export interface VectorSet {
  name: string;
  words: number | null;
  dims: number | null;
  where: string;
}
export interface VerifyAnswer {
  schema: "lexfield.verify/1";
  provenance: Provenance;
  root?: string;
  mismatch?: string;
  results: (FileCheck)[];
  notes: (string)[];
}
export interface Window {
  start: number;
  end: number;
  label: string | null;
  probability: number | null;
  candidates: (CandidateAuthor)[];
}
export interface WordCurve {
  word: string;
  vectors: string;
  threshold: number;
  curve: (CurvePoint)[];
}
export interface WordNetThreshold {
  synonyms: number;
  deviation: number;
  terms: number;
  source: string;
  threshold: number;
  interval: (number)[];
}
export interface ZipfAnswer {
  schema: "lexfield.zipf/1";
  provenance: Provenance;
  results: (ZipfFit)[];
  notes: (string)[];
}
export interface ZipfFit {
  name: string;
  space: string;
  unit: string;
  exponent: Exponent | null;
  slope: number;
  r2: number;
  verdict: string;
  fits: Record<string, Fit>;
  figures: TextFigures;
  vectors: string | null;
  ranks: (Rank)[];
  slopes: (number)[];
  nulls: (NullModel)[];
  robustness: (Slope)[];
  choices: (ClusterNumber)[];
  clusters: (SentenceCluster)[];
  points: (Rank)[];
  curves: (FittedCurve)[];
}
export interface Verbs {
  align: { parameters: "a" | "b" | "format" | "index" | "k" | "where"; answer: AlignAnswer };
  attribute: { parameters: "by" | "document" | "features" | "format" | "index" | "measure" | "reject" | "rule" | "text" | "text_id" | "verify" | "where"; answer: AttributeAnswer };
  bag: { parameters: "format" | "index" | "k" | "keep_case" | "ngram" | "operation" | "other" | "phrases" | "text_other" | "text_texts" | "texts" | "where"; answer: BagAnswer };
  bags: { parameters: "algebra" | "allow_unknown" | "context" | "explain" | "format" | "full" | "index" | "k" | "like" | "method" | "query" | "start" | "unit" | "where"; answer: BagsAnswer };
  balls: { parameters: "format" | "index" | "query" | "r"; answer: BallsAnswer };
  clusters: { parameters: "allow_unknown" | "clusters" | "document" | "format" | "index" | "seed" | "seeds" | "text" | "vectors" | "where"; answer: ClustersAnswer };
  compare: { parameters: "a" | "a_where" | "allow_unknown" | "b" | "b_where" | "bits" | "culling" | "estimator" | "explain" | "exponent" | "features" | "format" | "hubs" | "index" | "interval" | "measure" | "mfw" | "neighbour" | "ngram" | "order" | "points" | "reduce" | "resamples" | "seed" | "smoothing" | "space" | "stopwords" | "test" | "text_a" | "text_b" | "vectors" | "where"; answer: CompareAnswer };
  describe_vectors: { parameters: "format" | "vectors"; answer: DescribeVectorsAnswer };
  documents: { parameters: "containing" | "format" | "index" | "k" | "sort" | "start" | "where"; answer: DocumentsAnswer };
  duplicates: { parameters: "format" | "full" | "index" | "min_words" | "threshold" | "unit"; answer: DuplicatesAnswer };
  evaluate: { parameters: "against" | "by_query" | "format" | "k" | "measures" | "others" | "qrels" | "run" | "variety"; answer: EvaluateAnswer };
  evaluate_metric: { parameters: "allow_unknown" | "axes" | "by" | "features" | "folds" | "format" | "group_weights" | "index" | "kmeans" | "seed" | "shrinkage" | "sphere" | "unit" | "weights"; answer: EvaluateMetricAnswer };
  facets: { parameters: "format" | "index" | "where"; answer: FacetsAnswer };
  find_topic_neighbours: { parameters: "delta" | "eps" | "format" | "index" | "k" | "measure" | "neighbours" | "radius" | "text"; answer: FindTopicNeighboursAnswer };
  fuse: { parameters: "combine" | "explain" | "format" | "k" | "names" | "normalise" | "runs"; answer: FuseAnswer };
  indexes: { parameters: never; answer: Holdings };
  infer: { parameters: "format" | "index" | "k" | "texts"; answer: InferAnswer };
  info: { parameters: "format" | "index"; answer: InfoAnswer };
  inspire: { parameters: "allow_unknown" | "draft" | "format" | "index" | "k" | "method" | "sentences" | "text_draft"; answer: InspireAnswer };
  jobs: { parameters: never; answer: (Job)[] };
  keyness: { parameters: "a" | "a_where" | "b" | "b_where" | "correction" | "format" | "index" | "k" | "max_p" | "min_count" | "ngram" | "only" | "text_a" | "text_b" | "where"; answer: KeynessAnswer };
  kwic: { parameters: "document" | "format" | "forms" | "index" | "k" | "sort" | "start" | "text" | "text_a" | "text_b" | "where" | "window" | "word"; answer: KwicAnswer };
  label: { parameters: "allow_unknown" | "bits" | "by" | "culling" | "document" | "estimator" | "evidence" | "exponent" | "features" | "format" | "hubs" | "index" | "measure" | "mfw" | "neighbour" | "ngram" | "order" | "points" | "reduce" | "rule" | "sample" | "seed" | "smoothing" | "space" | "stopwords" | "text" | "text_id" | "vectors" | "voters" | "where"; answer: LabelAnswer };
  layout: { parameters: "allow_unknown" | "document" | "format" | "index" | "projection" | "seed" | "text" | "vectors" | "where" | "words"; answer: LayoutAnswer };
  list_metrics: { parameters: "format" | "index"; answer: ListMetricsAnswer };
  list_vectors: { parameters: "format"; answer: ListVectorsAnswer };
  map: { parameters: "allow_unknown" | "bits" | "culling" | "document" | "estimator" | "exponent" | "features" | "format" | "hubs" | "index" | "layout" | "measure" | "mfw" | "most" | "neighbour" | "ngram" | "order" | "points" | "reduce" | "sample" | "seed" | "smoothing" | "space" | "stopwords" | "text" | "vectors" | "where"; answer: MapAnswer };
  measure_uncertainty: { parameters: "format" | "models" | "step" | "words"; answer: MeasureUncertaintyAnswer };
  methods: { parameters: "about" | "format"; answer: MethodsAnswer };
  near: { parameters: "allow_unknown" | "dimensions" | "format" | "k" | "models" | "queries" | "threshold" | "vectors" | "word"; answer: NearAnswer };
  overview: { parameters: "format" | "index" | "where"; answer: OverviewAnswer };
  pairs: { parameters: "allow_unknown" | "approximate" | "bits" | "by" | "consensus" | "culling" | "document" | "estimator" | "exponent" | "features" | "format" | "hubs" | "index" | "measure" | "memory" | "mfw" | "nearest" | "neighbour" | "ngram" | "order" | "points" | "reduce" | "sample" | "seed" | "smoothing" | "space" | "stopwords" | "text" | "vectors" | "where"; answer: PairsAnswer };
  predict: { parameters: "by" | "document" | "features" | "format" | "index" | "level" | "text" | "text_id" | "where"; answer: PredictAnswer };
  reuse: { parameters: "b" | "chance" | "date" | "document" | "format" | "index" | "kind" | "min_words" | "query" | "text" | "text_b" | "text_query" | "vectors" | "where"; answer: ReuseAnswer };
  rolling: { parameters: "by" | "document" | "features" | "format" | "index" | "rule" | "step" | "text" | "text_id" | "where" | "window"; answer: RollingAnswer };
  run: { parameters: "algebra" | "allow_unknown" | "format" | "id_field" | "index" | "k" | "method" | "queries" | "text_field" | "unit" | "where"; answer: RunAnswer };
  search: { parameters: "algebra" | "allow_unknown" | "context" | "explain" | "format" | "full" | "index" | "k" | "like" | "method" | "metric" | "queries" | "query" | "start" | "unit" | "where"; answer: SearchAnswer };
  show: { parameters: "context" | "format" | "id" | "index"; answer: ShowAnswer };
  speech: { parameters: "allow_unknown" | "document" | "format" | "index" | "nearest" | "text" | "vectors" | "where"; answer: SpeechAnswer };
  text: { parameters: "count" | "document" | "format" | "index" | "start"; answer: TextAnswer };
  threshold: { parameters: "deviation" | "format" | "limit" | "models" | "sample" | "seed" | "synonyms" | "vectors" | "word"; answer: ThresholdAnswer };
  topic_shares: { parameters: "by" | "format" | "index" | "k" | "topic" | "where"; answer: TopicSharesAnswer };
  topics: { parameters: "format" | "index" | "k" | "perplexity"; answer: TopicsAnswer };
  trend: { parameters: "bins" | "by" | "document" | "format" | "index" | "query" | "topic" | "where"; answer: TrendAnswer };
  verify: { parameters: "format" | "index" | "key" | "root" | "signature"; answer: VerifyAnswer };
  zipf: { parameters: "allow_unknown" | "clusters" | "document" | "draws" | "examples" | "format" | "index" | "latent" | "ngram" | "nulls" | "robustness" | "seed" | "seeds" | "text" | "vectors" | "where"; answer: ZipfAnswer };
}
