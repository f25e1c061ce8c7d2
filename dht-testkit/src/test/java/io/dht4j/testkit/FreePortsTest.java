package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void whatWasGivenOutIsNotGivenOutAgainBeforeItIsListenedTo() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ports.addAll(FreePorts.find(100));
        }

        assertThat(ports).doesNotHaveDuplicates().allMatch(port -> port >= 12_000 && port < 32_000);
    }
}
