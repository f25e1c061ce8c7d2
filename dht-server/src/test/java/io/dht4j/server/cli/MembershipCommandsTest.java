package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What {@code nodes}, {@code rebalance} and {@code meta} show of answers, and refuse. */
class MembershipCommandsTest {

    private static final String STATUS = """
            {"cluster":"00000000-0000-0001-0000-000000000002","id":"n1","epoch":281474976711138,"epoch_text":"1.482",
             "replication_factor":3,"partitions":256,
             "nodes":[
              {"id":"n1","number":1,"state":"SERVING","address":"10.0.0.1:7000","public_addresses":[],"weight":1,
               "zone":"a","partitions":256,"to_come":0,"to_give":57,"epoch":281474976711138},
              {"id":"n4","number":4,"state":"JOINING","address":"10.0.0.4:7000","public_addresses":[],"weight":2,
               "zone":"b","partitions":0,"to_come":171,"to_give":0,"epoch":281474976711136},
              {"id":"n5","number":5,"state":"SERVING","address":"10.0.0.5:7000","public_addresses":[],"weight":1,
               "zone":"","partitions":256,"to_come":0,"to_give":0,"silent_ms":12345},
              {"id":"n6","number":6,"state":"ADMITTED","public_addresses":[],"weight":1,"zone":"","partitions":0,
               "to_come":0,"to_give":0,"waits_for":"the node itself: start it with --join"}],
             "moves":[
              {"batch":281474976711137,"from":"n1","to":"n4","partitions":57,"phase":"COPY",
               "copied_bytes":3328599654,"total_bytes":9019431321}],
             "metadata":{"voters":["n1","n2","n3"],"leader":"n1"},
             "rebalance":{"bytes_per_second":16777216,"paused":false}}
            """;

    private static CommandLineRun run(String answer, String... args) throws Exception {
        try (ScriptedNode node = new ScriptedNode(answer)) {
            String[] all = new String[args.length + 2];
            System.arraycopy(args, 0, all, 0, args.length);
            all[args.length] = "--node";
            all[args.length + 1] = node.url();
            return CommandLineRun.of(all);
        }
    }

    @Test
    void nodesMovesAndMetadataAreLinesThatSayWhatTheyWaitFor() throws Exception {
        CommandLineRun run = run(STATUS, "nodes");
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines())
                .containsExactly(
                        "nodes  n1  SERVING   zone a            10.0.0.1:7000  256 of 256 partitions, 57 to give",
                        "       n4  JOINING   zone b  weight 2  10.0.0.4:7000  0 of 256 partitions, 171 to come",
                        "       n5  SERVING                     10.0.0.5:7000  256 of 256 partitions; silent for 12 s",
                        "       n6  ADMITTED                    not joined     0 of 256 partitions; waits for the node"
                                + " itself: start it with --join",
                        "moves  batch 1.481  n1→n4  57 partitions  COPY  3.1 GiB of 8.4 GiB, at most 16 MiB/s, about"
                                + " 5 min 39 s; waits for nothing",
                        "meta   n1*, n2, n3  epoch 1.482  all nodes at 1.482, but n4 (1.480), n5 (silent for 12 s)");
    }

    @Test
    void rebalanceShowsMovesAndThePlan() throws Exception {
        assertThat(run(STATUS, "rebalance").out()).startsWith("moves  batch 1.481");
        assertThat(run(
                                "{\"epoch\":1,\"moves\":[{\"from\":\"n1\",\"to\":\"n4\",\"partitions\":57,"
                                        + "\"adds\":false},{\"from\":\"n1\",\"to\":\"n5\",\"partitions\":9,"
                                        + "\"adds\":true}],\"unplaced\":2}",
                                "rebalance",
                                "--plan")
                        .out()
                        .lines())
                .containsExactly(
                        "plan   n1→n4  57 partitions",
                        "       n1→n5  9 partitions, as one more replica",
                        "       2 replicas have no node, since every other one is a replica already: add a node");
        assertThat(run("{\"epoch\":1,\"moves\":[],\"unplaced\":0}", "rebalance", "--plan")
                        .out())
                .isEqualTo("plan   nothing is to move: every node has its share" + System.lineSeparator());
    }

    @Test
    void metaShowsWhoAgrees() throws Exception {
        assertThat(run(STATUS, "meta").out()).startsWith("meta   n1*, n2, n3  epoch 1.482");
        assertThat(run(STATUS, "meta", "status").exitCode()).isZero();
        assertThat(run(STATUS, "meta", "guess").err()).contains("no action guess; there are status and recover");
        assertThat(run("{\"epoch_text\":\"2.1\"}", "meta", "recover", "--lost", "n1,n3")
                        .out())
                .startsWith("recovered at epoch 2.1; replace the lost nodes now")
                .contains(System.lineSeparator() + "What only they have agreed on and acknowledged is not known");
        assertThat(run("{\"epoch_text\":\"2.1\"}", "meta", "recover", "--lost", "n1", "--accept-data-loss")
                        .exitCode())
                .isZero();
        assertThat(run("{\"epoch_text\":\"1.9\"}", "meta", "--voters", "5").out())
                .startsWith("agreed at epoch 1.9; the voters follow");
        assertThat(run(STATUS.replace("\"leader\"", "\"wanted_voters\":5,\"leader\""), "meta")
                        .out())
                .startsWith("meta   n1*, n2, n3 of 5 wanted  epoch 1.482");
    }

    @Test
    void changesSayWhatIsNext() throws Exception {
        String epoch = "{\"epoch\":281474976710661,\"epoch_text\":\"1.5\"}";
        assertThat(run(epoch, "nodes", "add", "n4").out())
                .startsWith("agreed at epoch 1.5; start n4 with --join now, unless it is a member");
        assertThat(run(epoch, "nodes", "replace", "n4", "--accept-data-loss").out())
                .startsWith("agreed at epoch 1.5; start n4 with an empty data directory and --join now");
        assertThat(run(epoch, "nodes", "zone", "n4", "").out()).startsWith("agreed at epoch 1.5");
        assertThat(run(epoch, "rebalance", "--rate", "1024").out()).startsWith("agreed at epoch 1.5");
        assertThat(run(epoch, "rebalance", "--replication-factor", "3").out())
                .startsWith("agreed at epoch 1.5; dht rebalance shows the copies");
        assertThat(run(epoch, "rebalance", "--pause", "--json").out().strip()).isEqualTo(epoch);
    }

    @Test
    void changesSayAtOnceWhatKeepsThemFromGoingOn() throws Exception {
        String leaving = STATUS.replace("\"number\":5,\"state\":\"SERVING\"", "\"number\":5,\"state\":\"LEAVING\"")
                .replace("\"paused\":false", "\"paused\":true");
        assertThat(run(leaving, "nodes", "remove", "n5").out().lines())
                .containsExactly(
                        "agreed at epoch 1.482; ./dht nodes shows when n5 is empty and removed",
                        "n5 is silent: if it is lost, run ./dht nodes replace n5",
                        "moves are paused: ./dht rebalance --resume");
        assertThat(run(STATUS, "nodes", "remove", "n4").out().lines()).hasSize(1);
        assertThat(run(STATUS, "rebalance", "--replication-factor", "3").out())
                .isEqualTo("the replication factor is 3 already" + System.lineSeparator());
    }

    @Test
    void fillShowsLostNodeAndSilenceOfUnknownLength() throws Exception {
        String filling = STATUS.replace("\"from\":\"n1\",\"to\":\"n4\"", "\"from\":\"n4\",\"to\":\"n4\"")
                .replace("COPY", "FILL")
                .replace("12345", "345");
        assertThat(run(filling, "nodes").out())
                .contains("lost n4→n4  57 partitions  FILL")
                .contains("256 of 256 partitions; silent" + System.lineSeparator(), "n5 (silent)");
    }

    @Test
    void wrongUsageIsNamed() throws Exception {
        assertWrong("no action grow; the actions are add, remove", "nodes", "grow");
        assertWrong("add needs the name of a node, as in: dht nodes add n4", "nodes", "add");
        assertWrong("add takes no value, and \"b\" is one", "nodes", "add", "n4", "b");
        assertWrong("zone needs a value, as in: dht nodes zone n4 VALUE", "nodes", "zone", "n4");
        assertWrong("--accept-data-loss has no effect without replace", "nodes", "add", "n4", "--accept-data-loss");
        assertWrong("not \"a node\"", "nodes", "remove", "a node");
        assertWrong("weight must be a whole number from 1 to 1000, not \"1001\"", "nodes", "weight", "n4", "1001");
        assertWrong("weight must be a whole number from 1 to 1000, not \"two\"", "nodes", "weight", "n4", "two");
        assertWrong("an address is host:port", "nodes", "address", "n4", "here");
        assertWrong("must be a whole number of KiB per second from 64 to 1073741824", "rebalance", "--rate", "1");
        assertWrong("must be a whole number from 1 to 16", "rebalance", "--replication-factor", "17");
        assertWrong("--lost has no effect without recover", "meta", "--lost", "n1");
        assertWrong("--accept-data-loss has no effect without recover", "meta", "--accept-data-loss");
        assertWrong("--voters has no effect with recover", "meta", "recover", "--voters", "5");
        assertWrong("mutually exclusive", "rebalance", "--pause", "--resume");
    }

    private static void assertWrong(String message, String... args) throws Exception {
        CommandLineRun run = run("{}", args);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}
