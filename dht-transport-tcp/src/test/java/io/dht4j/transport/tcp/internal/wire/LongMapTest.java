package io.dht4j.transport.tcp.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LongMapTest {

    @Test
    void itIsAMap() {
        for (int seed = 0; seed < 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Map<Long, String> model = new HashMap<>();
            LongMap<String> map = new LongMap<>();
            int range = 1 + random.nextInt(300);
            for (int i = 0; i < 2_000; i++) {
                long key = random.nextInt(4) == 0 ? (long) random.nextInt(range) << 40 : random.nextInt(range);
                if (random.nextBoolean() && !model.containsKey(key)) {
                    model.put(key, "v" + i);
                    map.put(key, "v" + i);
                } else {
                    assertThat(map.remove(key)).as("seed %d", seed).isEqualTo(model.remove(key));
                }
                assertThat(map.get(key)).as("seed %d", seed).isEqualTo(model.get(key));
                assertThat(map.size()).isEqualTo(model.size());
            }
            model.forEach((key, value) -> assertThat(map.get(key)).isEqualTo(value));
            List<String> values = new ArrayList<>();
            map.forEach(values::add);
            assertThat(values).containsExactlyInAnyOrderElementsOf(model.values());
            map.clear();
            assertThat(map.isEmpty()).isTrue();
            assertThat(map.get(1)).isNull();
        }
    }
}
