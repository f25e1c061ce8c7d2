package io.dht4j.core.internal.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.PartitionTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class PartitionSetTest {

    private static final PartitionSet SOME = PartitionSet.of(900, 3, 64, 3);

    @Test
    void setHasItsElementsAndNoOthers() {
        assertThat(SOME.toArray()).containsExactly(3, 64, 900);
        assertThat(SOME.contains(64)).isTrue();
        assertThat(SOME.contains(65)).isFalse();
        assertThat(SOME.contains(-1)).isFalse();
        assertThat(SOME.contains(Integer.MAX_VALUE)).isFalse();
        assertThat(SOME.cardinality()).isEqualTo(3);
        assertThat(SOME.bound()).isEqualTo(901);
        assertThat(SOME.isEmpty()).isFalse();
        assertThat(SOME).hasToString("{3, 64, 900}");
    }

    @Test
    void emptySetHasNoElement() {
        PartitionSet empty = PartitionSet.of();
        assertThat(empty).isEqualTo(PartitionSet.empty()).isEqualTo(SOME.minus(SOME));
        assertThat(empty.isEmpty()).isTrue();
        assertThat(empty.bound()).isZero();
        assertThat(empty.toBytes()).isEmpty();
        assertThat(empty.chunks(1)).isEmpty();
    }

    @Test
    void operationsAgreeWithThoseOfSetsOfNumbers() {
        SplittableRandom random = new SplittableRandom(1);
        for (int run = 0; run < 500; run++) {
            PartitionSet one = random(random);
            PartitionSet other = random(random);
            TreeSet<Integer> union = numbers(one);
            union.addAll(numbers(other));
            TreeSet<Integer> minus = numbers(one);
            minus.removeAll(numbers(other));
            TreeSet<Integer> intersection = numbers(one);
            intersection.retainAll(numbers(other));
            assertThat(one.union(other)).isEqualTo(PartitionSet.of(union));
            assertThat(one.minus(other)).isEqualTo(PartitionSet.of(minus));
            assertThat(one.intersection(other)).isEqualTo(PartitionSet.of(intersection));
            assertThat(one.intersects(other)).isEqualTo(!intersection.isEmpty());
            assertThat(one.filter(other::contains)).isEqualTo(one.intersection(other));
            assertThat(PartitionSet.matching(200, one::contains)).isEqualTo(one).hasSameHashCodeAs(one);
        }
    }

    @Test
    void encodedSetIsParsed() {
        SplittableRandom random = new SplittableRandom(2);
        for (int run = 0; run < 500; run++) {
            PartitionSet set = random(random);
            assertThat(set.toBytes())
                    .hasSize(set.encodedSize())
                    .isEqualTo(set.toBitSet().toByteArray());
            assertThat(PartitionSet.parse(set.toBytes())).isEqualTo(set);
        }
    }

    @Test
    void bytesOfMorePartitionsThanThereCanBeAreRefused() {
        byte[] most = new byte[PartitionSet.MAX_BYTES];
        most[most.length - 1] = (byte) 0x80;
        assertThat(PartitionSet.parse(most).toArray()).containsExactly(PartitionTable.MAX_PARTITIONS - 1);
        assertThatThrownBy(() -> PartitionSet.parse(new byte[PartitionSet.MAX_BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(PartitionSet.MAX_BYTES + 1));
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        for (int number : List.of(-1, PartitionTable.MAX_PARTITIONS)) {
            assertThatThrownBy(() -> PartitionSet.of(number))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining(String.valueOf(number));
        }
        BitSet tooMany = new BitSet();
        tooMany.set(PartitionTable.MAX_PARTITIONS);
        assertThatThrownBy(() -> PartitionSet.copyOf(tooMany)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void laterChangesOfWhatASetWasMadeFromDoNotReachIt() {
        BitSet bits = new BitSet();
        bits.set(5);
        PartitionSet copy = PartitionSet.copyOf(bits);
        bits.set(6);
        copy.toBitSet().set(7);
        PartitionSet.Builder builder = PartitionSet.builder().add(8);
        PartitionSet built = builder.build();
        builder.add(9);
        byte[] bytes = {1};
        PartitionSet parsed = PartitionSet.parse(bytes);
        bytes[0] = 2;
        assertThat(copy.toArray()).containsExactly(5);
        assertThat(built.toArray()).containsExactly(8);
        assertThat(builder.addAll(copy).build().toArray()).containsExactly(5, 8, 9);
        assertThat(parsed.toArray()).containsExactly(0);
    }

    @Test
    void chunksAreAllElementsInOrder() {
        List<Integer> seen = new ArrayList<>();
        List<PartitionSet> chunks = PartitionSet.of(1, 2, 3, 70, 80).chunks(2);
        chunks.forEach(chunk -> chunk.forEach(seen::add));
        assertThat(chunks).extracting(PartitionSet::cardinality).containsExactly(2, 2, 1);
        assertThat(seen).containsExactly(1, 2, 3, 70, 80);
    }

    private static PartitionSet random(SplittableRandom random) {
        int bound = random.nextInt(1, 200);
        double density = random.nextDouble();
        return PartitionSet.matching(bound, number -> random.nextDouble() < density);
    }

    private static TreeSet<Integer> numbers(PartitionSet set) {
        return set.stream().boxed().collect(Collectors.toCollection(TreeSet::new));
    }
}
