package io.dht4j.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The rules of the architecture, for the packages below a root. The root is a parameter, so that tests can apply each
 * rule to small classes that break it.
 */
final class Rules {

    private static final String[] JDK = {
        "java..", "javax.crypto..", "javax.naming..", "javax.net.ssl..", "javax.security.auth..", "jdk.jfr.."
    };

    /** The methods of a store that change its entries. */
    private static final Set<String> CHANGES = Set.of("apply", "applyAndGetVersions", "purge", "drop");

    private final String root;

    Rules(String root) {
        this.root = root;
    }

    private String in(String subpackage) {
        return root + "." + subpackage + "..";
    }

    private String[] api() {
        return new String[] {root, root + ".spi"};
    }

    /** Returns every rule by its name. */
    Map<String, ArchRule> all() {
        ThreadRules threads = new ThreadRules(root);
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put("the API depends on nothing but the JDK", dependsOnlyOn(api()));
        rules.put(
                "the core depends on the API, a hashing library and SLF4J",
                dependsOnlyOn(new String[] {in("core"), in("client")}, "com.dynatrace.hash4j..", "org.slf4j.."));
        rules.put(
                "the memory store depends on the API only",
                dependsOnlyOn(new String[] {in("store.memory")}, "org.slf4j.."));
        rules.put(
                "the durable store depends on the API and MVStore",
                dependsOnlyOn(
                        new String[] {in("store.mvstore")},
                        in("store.disk"),
                        in("store.log"),
                        "org.h2..",
                        "com.github.benmanes.caffeine..",
                        "org.slf4j.."));
        rules.put(
                "the log of hints depends on the API only",
                dependsOnlyOn(new String[] {in("store.hints")}, in("store.log"), "org.slf4j.."));
        rules.put(
                "the files below the stores depend on the API only",
                dependsOnlyOn(new String[] {in("store.disk"), in("store.log")}));
        rules.put(
                "the topology log depends on the API, MicroRaft and the files of the store",
                dependsOnlyOn(
                        new String[] {in("topology.microraft")},
                        in("store.disk"),
                        in("store.log"),
                        "io.microraft..",
                        "org.slf4j.."));
        rules.put(
                "the metrics depend on the API and Micrometer",
                dependsOnlyOn(new String[] {in("micrometer")}, "io.micrometer.core.."));
        rules.put(
                "the tracing depends on the API and that of OpenTelemetry",
                dependsOnlyOn(
                        new String[] {in("opentelemetry")}, "io.opentelemetry.api..", "io.opentelemetry.context.."));
        rules.put(
                "the sketch of hot keys depends on the API and DataSketches",
                dependsOnlyOn(new String[] {in("datasketches")}, "org.apache.datasketches.."));
        rules.put(
                "what transports share depends on the API only",
                dependsOnlyOn(
                        new String[] {in("security"), in("transport.common")}, "com.sun.management..", "org.slf4j.."));
        rules.put(
                "the TCP transport depends on the API only",
                dependsOnlyOn(
                        new String[] {in("transport.tcp")}, in("security"), in("transport.common"), "org.slf4j.."));
        rules.put(
                "the HTTP transport depends on the API and Vert.x",
                dependsOnlyOn(
                        new String[] {root + ".transport.http", in("transport.http.internal")},
                        in("security"),
                        in("transport.common"),
                        "io.vertx.core..",
                        "io.netty..",
                        "com.fasterxml.jackson.core..",
                        "org.slf4j.."));
        rules.put(
                "the further HTTP clients depend on what peers share, Vert.x and one-nio",
                dependsOnlyOn(
                        new String[] {in("transport.http.clients")},
                        in("transport.common.calls"),
                        in("transport.common.options"),
                        root + ".transport.http",
                        in("transport.http.internal.peer"),
                        "io.vertx..",
                        "one.nio..",
                        "org.slf4j.."));
        rules.put(
                "Netty's own classes stay in one package",
                noClasses()
                        .that()
                        .resideOutsideOfPackage(root + ".transport.http.internal.netty")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.netty.."));
        rules.put(
                "the gRPC transport depends on the API and gRPC",
                dependsOnlyOn(
                        new String[] {in("transport.grpc")},
                        in("security"),
                        in("transport.common"),
                        in("v1"),
                        "io.grpc..",
                        "com.google.protobuf..",
                        "com.google.rpc..",
                        "com.sun.management..",
                        "org.slf4j.."));
        rules.put(
                "the gRPC transport of peers needs no protobuf",
                noClasses()
                        .that()
                        .resideInAnyPackage(root + ".transport.grpc", in("transport.grpc.internal"))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("com.google.protobuf..", root + ".v1..")
                        .allowEmptyShould(true));
        rules.put(
                "the testkit depends on the API and test libraries",
                dependsOnlyOn(
                        new String[] {in("testkit")},
                        "org.junit.jupiter..",
                        "org.assertj..",
                        "org.awaitility..",
                        "org.bouncycastle..",
                        "org.slf4j..",
                        "com.sun.management.."));
        rules.put(
                "what measured classes are compiled against depends on the API only",
                dependsOnlyOn(new String[] {root + ".lab", in("lab.workload")}));
        rules.put(
                "the example of a transport of one's own depends on the API only",
                dependsOnlyOn(new String[] {in("examples.transport")}, "org.slf4j.."));
        rules.put(
                "the Spring Boot starter depends on what it configures, Spring, Jackson and Micrometer",
                dependsOnlyOn(
                        new String[] {in("spring")},
                        root + ".client",
                        root + ".core",
                        root + ".core.options",
                        root + ".store.memory",
                        root + ".store.mvstore",
                        root + ".store.hints",
                        root + ".topology.microraft",
                        root + ".micrometer",
                        root + ".opentelemetry",
                        root + ".security",
                        root + ".transport.common",
                        root + ".transport.common.options",
                        root + ".transport.tcp",
                        root + ".transport.http",
                        root + ".transport.grpc",
                        root + ".transport.grpc.api",
                        "org.springframework..",
                        "com.fasterxml.jackson.core",
                        "com.fasterxml.jackson.databind..",
                        "tools.jackson.core",
                        "tools.jackson.databind..",
                        "io.micrometer.core.instrument..",
                        "io.opentelemetry.api",
                        "org.slf4j.."));
        rules.put("Spring stays in its starter", staysIn("spring", "org.springframework.."));
        rules.put("Vert.x and Netty stay in the HTTP transport", staysIn("transport.http", "io.vertx..", "io.netty.."));
        rules.put("one-nio stays in the further HTTP clients", staysIn("transport.http.clients", "one.nio.."));
        rules.put("gRPC stays in the gRPC transport", staysIn("transport.grpc", "io.grpc.."));
        rules.put("MVStore stays in the durable store", staysIn("store.mvstore", "org.h2.."));
        rules.put("MicroRaft stays in the topology log", staysIn("topology.microraft", "io.microraft.."));
        rules.put(
                "no wrapped library is in a public signature",
                SignatureRules.wrappedLibrariesAreNotInPublicSignatures());
        rules.put("no internal type is in a public signature", SignatureRules.internalTypesAreNotInPublicSignatures());
        rules.put("no package cycles", noCycles("packages", UnaryOperator.identity()));
        rules.put("no cycles of the parts of internal packages", noCycles("parts", Rules::part));
        rules.put("nobody uses another module's internals", internalsAreTheirModulesOwn());
        rules.put("only the replica changes the entries of a store", onlyTheReplicaChangesEntries());
        rules.put("core takes time, chance and threads from its environment", threads.coreUsesItsEnvironment());
        rules.put("stores take no shortcuts to threads that are not theirs", threads.noSharedPools());
        rules.put("no mutable statics", StaticRules.noMutableStatics());
        rules.put("no service loader", StaticRules.noServiceLoader());
        rules.put("store threads are never interrupted", threads.storeThreadsAreNotInterrupted());
        return rules;
    }

    private ArchRule dependsOnlyOn(String[] packages, String... besides) {
        List<String> allowed = new ArrayList<>(List.of(JDK));
        allowed.add("org.jspecify.annotations..");
        allowed.addAll(List.of(api()));
        allowed.addAll(List.of(packages));
        allowed.addAll(List.of(besides));
        return classes()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed.toArray(String[]::new)).or(primitivesAndTheirArrays()))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> primitivesAndTheirArrays() {
        return DescribedPredicate.describe(
                "primitives", type -> type.getBaseComponentType().isPrimitive());
    }

    private ArchRule staysIn(String module, String... libraries) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(in(module))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries);
    }

    private ArchRule onlyTheReplicaChangesEntries() {
        return noClasses()
                .that()
                .resideInAPackage(in("core"))
                .and()
                .resideOutsideOfPackage(root + ".core.internal.replica")
                .should()
                .accessTargetWhere(DescribedPredicate.describe(
                        "changes the entries of a store",
                        access -> access.getTargetOwner().isAssignableTo(Store.class)
                                && CHANGES.contains(access.getTarget().getName())));
    }

    private ArchRule noCycles(String what, UnaryOperator<String> slice) {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return resideInAPackage(root + "..").test(type)
                                ? SliceIdentifier.of(slice.apply(type.getPackageName()))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return what;
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    /** Returns the package directly below {@code internal} that a package belongs to; itself if there is none. */
    private static String part(String name) {
        int internal = name.indexOf(".internal.");
        int end = internal < 0 ? -1 : name.indexOf('.', internal + ".internal.".length());
        return end < 0 ? name : name.substring(0, end);
    }

    /**
     * The simulator looks into agreed states, since no call of the API shows the slots that it checks; the client is in
     * the core's module.
     */
    private static ArchRule internalsAreTheirModulesOwn() {
        return classes().should(new ArchCondition<>("not use the internal packages of another module") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().forEach(dependency -> {
                    String target = dependency.getTargetClass().getPackageName() + ".";
                    int internal = target.indexOf(".internal.");
                    if (internal >= 0
                            && target.startsWith("io.dht4j.")
                            && !(resideInAnyPackage("io.dht4j.simulator..", "io.dht4j.client..")
                                            .test(type)
                                    && target.startsWith("io.dht4j.core.internal."))
                            && !(type.getPackageName() + ".").startsWith(target.substring(0, internal + 1))) {
                        events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                    }
                });
            }
        });
    }
}
