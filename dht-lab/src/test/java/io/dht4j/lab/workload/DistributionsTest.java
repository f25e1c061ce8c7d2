package io.dht4j.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares frequencies with the probabilities that the distributions promise. The seeds are fixed, so a test passes
 * always or never. A frequency may be five standard deviations of the binomial distribution off.
 */
class DistributionsTest {

    private static final int DRAWS = 400_000;
    private static final long SEED = 20_261_126;

    private static long[] counts(int size, LongSupplier draw) {
        long[] counts = new long[size];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) draw.getAsLong()]++;
        }
        return counts;
    }

    private static void hasProbability(double probability, long count) {
        double deviation = Math.sqrt(DRAWS * probability * (1 - probability));
        assertThat((double) count).isCloseTo(DRAWS * probability, offset(5 * deviation + 1));
    }

    private static long sum(long[] counts, int from, int to) {
        return LongStream.range(from, to).map(i -> counts[(int) i]).sum();
    }

    private static double zeta(long ranks, double theta) {
        double sum = 0;
        for (long i = 1; i <= ranks; i++) {
            sum += Math.pow(i, -theta);
        }
        return sum;
    }

    @Test
    void uniformKeysComeEquallyOften() {
        KeyChooser chooser = new KeyDistribution.Uniform().chooser(new KeySpace(50), SEED);
        for (long count : counts(50, chooser::next)) {
            hasProbability(1.0 / 50, count);
        }
    }

    @ParameterizedTest
    @CsvSource({"1000, 0.99", "20000, 0.99", "20000, 0.5", "5000, 0.9", "3, 0.99", "2, 0.7"})
    void theTwoMostFrequentRanksHaveTheirExactProbabilities(int size, double theta) {
        long[] counts = counts(size, ranks(size, theta)::next);
        double sum = zeta(size, theta);
        hasProbability(1 / sum, counts[0]);
        hasProbability(Math.pow(2, -theta) / sum, counts[1]);
    }

    /** Rank 2 and the following ones come from the continuous distribution of Gray and others. */
    @ParameterizedTest
    @CsvSource({"1000, 0.99", "20000, 0.99", "20000, 0.5"})
    void theOtherRanksHaveTheProbabilitiesOfTheAlgorithm(int size, double theta) {
        long[] counts = counts(size, ranks(size, theta)::next);
        double sum = zeta(size, theta);
        double firstTwo = 1 + Math.pow(2, -theta);
        double eta = (1 - Math.pow(2.0 / size, 1 - theta)) / (1 - firstTwo / sum);
        for (int rank = 2; rank < 50; rank++) {
            double from = Math.max(firstTwo / sum, drawn(rank, size, theta, eta));
            hasProbability(drawn(rank + 1, size, theta, eta) - from, counts[rank]);
        }
    }

    /** Returns the uniform number from which the algorithm makes a rank. */
    private static double drawn(int rank, int size, double theta, double eta) {
        return (Math.pow((double) rank / size, 1 - theta) - 1 + eta) / eta;
    }

    @ParameterizedTest
    @CsvSource({"20000, 0.99", "20000, 0.5", "1000, 0.8"})
    void firstRanksHaveTheirZipfianShare(int size, double theta) {
        long[] counts = counts(size, ranks(size, theta)::next);
        double sum = zeta(size, theta);
        for (int first : new int[] {20, 100, size / 4}) {
            assertThat((double) sum(counts, 0, first) / DRAWS).isCloseTo(zeta(first, theta) / sum, offset(0.015));
        }
    }

    private static ZipfRanks ranks(long size, double theta) {
        ZipfRanks ranks = new ZipfRanks(theta, new SplittableRandom(SEED));
        ranks.resize(size);
        return ranks;
    }

    @ParameterizedTest
    @CsvSource({"1, 0.99", "999, 0.99", "1001, 0.99", "100000, 0.99", "100000, 0.01", "3000000, 0.999"})
    void theNormalizingSumIsExact(long size, double theta) {
        assertThat(ranks(size, theta).sum()).isCloseTo(zeta(size, theta), offset(1e-9 * zeta(size, theta)));
    }

    @Test
    void grownSpaceEqualsOneOfThatSize() {
        ZipfRanks grown = new ZipfRanks(0.99, new SplittableRandom(SEED));
        for (long size : new long[] {1, 2, 900, 1500, 40_000}) {
            grown.resize(size);
        }
        ZipfRanks made = ranks(40_000, 0.99);
        assertThat(grown.sum()).isEqualTo(made.sum());
        for (int i = 0; i < 1000; i++) {
            assertThat(grown.next()).isEqualTo(made.next());
        }
    }

    @Test
    void zipfianKeysAreRanksScatteredOverTheSpace() {
        long[] counts = counts(1000, new KeyDistribution.Zipfian(0.99).chooser(new KeySpace(1000), SEED)::next);
        long[] ranked = LongStream.of(counts).sorted().toArray();
        double sum = zeta(1000, 0.99);
        hasProbability(1 / sum, ranked[999]);
        hasProbability(Math.pow(2, -0.99) / sum, ranked[998]);
        // Each quarter has some of the frequent keys.
        for (int quarter = 0; quarter < 4; quarter++) {
            long[] part = LongStream.range(quarter * 250L, (quarter + 1) * 250L)
                    .map(i -> counts[(int) i])
                    .filter(count -> count > DRAWS / 400)
                    .toArray();
            assertThat(part).hasSizeBetween(5, 40);
        }
    }

    @Test
    void otherSeedsHaveTheSameFrequentKeys() {
        KeySpace space = new KeySpace(1000);
        KeyDistribution zipfian = new KeyDistribution.Zipfian(0.99);
        assertThat(mostFrequent(counts(1000, zipfian.chooser(space, 1)::next)))
                .isEqualTo(mostFrequent(counts(1000, zipfian.chooser(space, 2)::next)));
    }

    @Test
    void insertsLeaveTheFrequentKeysOfLaterChoosersAsTheyWere() {
        KeySpace space = new KeySpace(1000);
        KeyDistribution zipfian = new KeyDistribution.Zipfian(0.99);
        int before = mostFrequent(counts(1000, zipfian.chooser(space, 1)::next));

        space.endInsert(space.beginInsert());

        assertThat(mostFrequent(counts(1000, zipfian.chooser(space, 2)::next))).isEqualTo(before);
    }

    private static int mostFrequent(long[] counts) {
        int most = 0;
        for (int i = 0; i < counts.length; i++) {
            most = counts[i] > counts[most] ? i : most;
        }
        return most;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 17, 64, 1000, 4097})
    void theScatterIsOneToOne(long size) {
        Scatter scatter = new Scatter(size);
        assertThat(LongStream.range(0, size).map(scatter::of).sorted().toArray())
                .isEqualTo(LongStream.range(0, size).toArray());
    }

    @Test
    void theScatterStaysBelowTheLargestSize() {
        Scatter scatter = new Scatter(KeySpace.MAX_KEYS);
        for (long i = 0; i < 1000; i++) {
            assertThat(scatter.of(KeySpace.MAX_KEYS - 1 - i)).isBetween(0L, KeySpace.MAX_KEYS - 1);
        }
    }

    @Test
    void theLatestKeyIsTheMostFrequentOneAlsoAfterInserts() {
        KeySpace space = new KeySpace(1000);
        KeyChooser chooser = new KeyDistribution.Latest(0.99).chooser(space, SEED);
        for (int i = 0; i < 500; i++) {
            space.endInsert(space.beginInsert());
            assertThat(chooser.next()).isBetween(0L, space.size() - 1);
        }
        long[] counts = counts(1500, chooser::next);
        hasProbability(1 / zeta(1500, 0.99), counts[1499]);
        hasProbability(Math.pow(2, -0.99) / zeta(1500, 0.99), counts[1498]);
    }

    @Test
    void recentKeysHaveTheirShare() {
        long[] counts = counts(1000, new KeyDistribution.Recent(80, 10).chooser(new KeySpace(1000), SEED)::next);
        hasProbability(0.8, sum(counts, 900, 1000));
        hasProbability(0.8 / 100, counts[950]);
        hasProbability(0.2 / 900, counts[0]);
        hasProbability(0.2 / 900, counts[899]);
    }

    @Test
    void everyDistributionChoosesTheOnlyKey() {
        KeySpace one = new KeySpace(1);
        for (String text : new String[] {"uniform", "zipfian", "latest", "recent:80/10", "recent:0.1/100"}) {
            KeyChooser chooser = KeyDistribution.parse(text).chooser(one, SEED);
            for (int i = 0; i < 100; i++) {
                assertThat(chooser.next()).as(text).isZero();
            }
        }
    }

    @Test
    void sizesOfARangeComeEquallyOften() {
        SizeChooser chooser = ValueSizes.parse("100..103").chooser(SEED);
        long[] counts = counts(4, () -> chooser.next() - 100);
        for (long count : counts) {
            hasProbability(0.25, count);
        }
    }

    @Test
    void sizesOfATableComeByTheirWeights() {
        SizeChooser chooser = ValueSizes.parse("0:90,1:9,3:1").chooser(SEED);
        long[] counts = counts(4, chooser::next);
        hasProbability(0.90, counts[0]);
        hasProbability(0.09, counts[1]);
        assertThat(counts[2]).isZero();
        hasProbability(0.01, counts[3]);
    }

    @Test
    void operationsComeByTheirShares() {
        OperationMix.Chooser chooser =
                OperationMix.parse("get=70,insert=25,scan=5").chooser(new SplittableRandom(SEED));
        long[] counts =
                counts(OperationKind.values().length, () -> chooser.next().ordinal());
        hasProbability(0.70, counts[OperationKind.GET.ordinal()]);
        hasProbability(0.25, counts[OperationKind.INSERT.ordinal()]);
        hasProbability(0.05, counts[OperationKind.SCAN.ordinal()]);
    }
}
