/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_model.c -- models as safetensors: what another program reads, and what is refused. */
#include "tests/learn_fixture.h"
#include "weir/rng.h"
#include <math.h>
#include <stdio.h>

static const struct weir_learn_text texts[] = {
	{ WEIR_LEARN_SCHEME, "acc" },
	{ WEIR_LEARN_FEATURES, "1" },
	{ WEIR_LEARN_ACTIONS, "20KB,1MB,5%; 40KB,1MB,5%" },
	{ WEIR_LEARN_COMMAND, "weir train acc --name \"a\\b\"\n\xc3\xa9" },
	{ WEIR_LEARN_SEED, "7" },
	{ WEIR_LEARN_VERSION, "1.0" },
	{ WEIR_LEARN_DIGEST, "0123" },
};

struct file {
	struct learn_fixture desk;
	struct weir_learn_bytes bytes;
	uint8_t *data;
};

static void file_make(struct file *f, const struct weir_learn_plan *plan)
{
	struct weir_learn_model model = { .texts = texts,
					  .text_count = sizeof(texts) / sizeof(*texts) };
	struct weir_error e = { "" };

	fixture_open(&f->desk, plan, 1, 1);
	weir_learn_net_init_weights(&f->desk.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ 3, 0, 0 }, f->desk.weights);
	model.net = &f->desk.net;
	model.weights = f->desk.weights;
	f->bytes.size = weir_learn_model_size(&model);
	f->data = malloc(f->bytes.size); /* not a byte more, for the sanitizer */
	CHECK(f->data != NULL);
	f->bytes.data = f->data;
	if (weir_learn_model_encode(&model, f->data, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void file_close(struct file *f)
{
	fixture_close(&f->desk);
	free(f->data);
}

static struct weir_learn_plan recall_plan(void)
{
	return weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 3, .hidden = 5, .outputs = 2, .output = WEIR_LEARN_TANH });
}

/* --- what another program reads --- */

static float float_at(const uint8_t *at)
{
	uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			(uint32_t)at[3] << 24;
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Two inputs, one unit: the header is short enough to be written down here. */
TEST(test_learn_model_is_a_safetensors_file_byte_by_byte)
{
	static const char header[] =
		"{\"__metadata__\":{\"layers\":\"sequence 0; current 2; dense 1 relu < current\","
		"\"scheme\":\"acc\",\"features\":\"1\",\"actions\":\"20KB,1MB,5%; 40KB,1MB,5%\","
		"\"command\":\"weir train acc --name "
		"\\\"a\\\\b\\\"\\u000a\xc3\xa9\",\"seed\":\"7\","
		"\"version\":\"1.0\",\"digest\":\"0123\"},"
		"\"0.weight\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
		"\"0.bias\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
	size_t length = (sizeof(header) - 1 + 7) / 8 * 8;
	struct weir_learn_plan plan = { .current_size = 2, .layer_count = 1 };
	const uint8_t *numbers;
	struct file f;

	plan.layers[0] = (struct weir_learn_layer){ .kind = WEIR_LEARN_DENSE,
						    .activation = WEIR_LEARN_RELU,
						    .units = 1,
						    .from = { WEIR_LEARN_CURRENT } };
	file_make(&f, &plan);
	CHECK_INT(f.bytes.size, 8 + length + 12);
	CHECK_INT(f.data[0] | f.data[1] << 8, length);
	CHECK(memcmp(f.data + 8, header, sizeof(header) - 1) == 0);
	for (size_t i = sizeof(header) - 1; i < length; i++)
		CHECK_INT(f.data[8 + i], ' ');
	numbers = f.data + 8 + length;
	CHECK(float_at(numbers) == f.desk.weights[f.desk.net.places[0].weights]);
	CHECK(float_at(numbers + 4) ==
	      f.desk.weights[f.desk.net.places[0].weights + f.desk.net.places[0].stride]);
	CHECK(float_at(numbers + 8) == 0.0F);
	file_close(&f);
}

/* The bytes of a tensor as the header's text gives its place. */
static const uint8_t *tensor_bytes(const struct file *f, const char *name, const char *shape)
{
	char wanted[128];
	size_t length = f->data[0] | (size_t)f->data[1] << 8;
	char *header = calloc(1, length + 1), *found;
	unsigned long begin = 0;

	CHECK(header != NULL);
	memcpy(header, f->data + 8, length);
	snprintf(wanted, sizeof(wanted),
		 "\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[", name, shape);
	CHECK_CONTAINS(header, wanted);
	found = strstr(header, wanted);
	CHECK(sscanf(found + strlen(wanted), "%lu", &begin) == 1);
	free(header);
	return f->data + 8 + length + begin;
}

TEST(test_learn_model_has_an_lstms_gates_one_after_the_other)
{
	struct weir_learn_plan plan = recall_plan();
	const struct weir_learn_place *p;
	const uint8_t *at;
	struct file f;

	file_make(&f, &plan);
	p = &f.desk.net.places[1];
	at = tensor_bytes(&f, "1.weight_hh", "[20,5]");
	/* Gate 2, unit 3 from unit 4: row 13 of 5 numbers; here column 2 * 8 + 3 of row 4. */
	CHECK(float_at(at + (13 * 5 + 4) * 4) == f.desk.weights[p->recurrent + 4 * p->stride + 19]);
	at = tensor_bytes(&f, "1.bias", "[20]");
	for (int i = 0; i < 20; i++)
		CHECK(float_at(at + i * 4) == (i / 5 == 1 ? 1.0F : 0.0F));
	at = tensor_bytes(&f, "5.weight", "[5,10]");
	p = &f.desk.net.places[5];
	CHECK(float_at(at + (2 * 10 + 7) * 4) == f.desk.weights[p->weights + 7 * p->stride + 2]);
	file_close(&f);
}

TEST(test_learn_model_comes_back_with_its_plan_weights_and_texts)
{
	struct weir_learn_plan plan = recall_plan(), back;
	struct weir_error e = { "" };
	struct weir_learn_net net;
	char text[64];
	float *weights;
	struct file f;

	file_make(&f, &plan);
	CHECK_INT(weir_learn_model_plan(f.bytes, &back, &e), 0);
	CHECK_INT(weir_learn_net_init(&net, &back, &e), 0);
	CHECK(memcmp(&plan, &back, sizeof(plan)) == 0);
	weights = fixture_floats(net.weight_floats);
	CHECK_INT(weir_learn_model_decode(f.bytes, &net, weights, &e), 0);
	CHECK(memcmp(weights, f.desk.weights, net.weight_floats * sizeof(float)) == 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		CHECK_INT(weir_learn_model_text(f.bytes, texts[i].key, text, sizeof(text), &e), 0);
		CHECK_STR(text, texts[i].value);
	}
	CHECK_INT(weir_learn_model_text(f.bytes, "colour", text, sizeof(text), &e), -1);
	CHECK_STR(e.text, "the model has no text 'colour'");
	CHECK_INT(weir_learn_model_text(f.bytes, WEIR_LEARN_SCHEME, text, 3, &e), -1);
	CHECK_STR(e.text, "the header has a string of more than 2 bytes");
	free(weights);
	file_close(&f);
}

/* --- what is refused --- */

TEST(test_learn_model_names_the_keys_of_all_its_texts_in_order)
{
	char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE];
	struct weir_learn_plan plan = recall_plan();
	struct weir_error e = { "" };
	struct file f;

	file_make(&f, &plan);
	CHECK_INT(weir_learn_model_keys(f.bytes, keys, &e), 1 + sizeof(texts) / sizeof(*texts));
	CHECK_STR(keys[0], WEIR_LEARN_LAYERS);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK_STR(keys[1 + i], texts[i].key);
	f.bytes.size = 20;
	CHECK_INT(weir_learn_model_keys(f.bytes, keys, &e), -1);
	file_close(&f);
}

TEST(test_learn_model_of_another_shape_is_refused_by_name_and_shape)
{
	struct weir_learn_plan plan = recall_plan(), other;
	struct weir_error e = { "" };
	struct weir_learn_net net;
	float *weights;
	struct file f;

	file_make(&f, &plan);
	other = plan;
	other.layers[3].units = 7;
	CHECK_INT(weir_learn_net_init(&net, &other, &e), 0);
	weights = fixture_floats(net.weight_floats);
	CHECK_INT(weir_learn_model_decode(f.bytes, &net, weights, &e), -1);
	CHECK_STR(e.text, "tensor '3.weight' is [5, 3]; the net's is [7, 3]");
	other = plan;
	other.layers[5].bias = WEIR_LEARN_NO_BIAS;
	CHECK_INT(weir_learn_net_init(&net, &other, &e), 0);
	CHECK_INT(weir_learn_model_decode(f.bytes, &net, weights, &e), -1);
	CHECK_STR(e.text, "tensor '5.bias' is none of the net's");
	other = plan;
	other.layers[other.layer_count++] = (struct weir_learn_layer){ .units = 2, .from = { 6 } };
	CHECK_INT(weir_learn_net_init(&net, &other, &e), 0);
	CHECK_INT(weir_learn_model_decode(f.bytes, &net, weights, &e), -1);
	CHECK_STR(e.text, "tensor '7.weight' [2, 2] is missing");
	free(weights);
	file_close(&f);
}

TEST(test_learn_model_with_numbers_that_are_none_is_refused_both_ways)
{
	struct weir_learn_plan plan = recall_plan();
	struct weir_error e = { "" };
	struct file f;
	float *weights;
	uint8_t *at;

	file_make(&f, &plan);
	weights = fixture_floats(f.desk.net.weight_floats);
	at = f.data + (tensor_bytes(&f, "6.weight", "[2,5]") - f.data) + 4 * (5 + 3);
	memcpy(at, "\x00\x00\x80\x7f", 4); /* infinity */
	CHECK_INT(weir_learn_model_decode(f.bytes, &f.desk.net, weights, &e), -1);
	CHECK_STR(e.text, "tensor '6.weight' has a number that is not finite at [1, 3]");
	f.desk.weights[f.desk.net.places[0].bias + 1] = NAN;
	CHECK_INT(weir_learn_model_encode(&(struct weir_learn_model){ .net = &f.desk.net,
								      .weights = f.desk.weights },
					  f.data, &e),
		  -1);
	CHECK_STR(e.text, "tensor '0.bias' has a number that is not finite");
	free(weights);
	file_close(&f);
}

TEST(test_learn_model_texts_are_checked_before_they_are_written)
{
	static const struct weir_learn_text bad[][2] = { { { "a", "\xff" } },
							 { { "layers", "x" } },
							 { { "a", "1" }, { "a", "2" } } };
	static const char *const messages[] = {
		"the text 'a' of a model is not UTF-8",
		"the text 'layers' of a model is not yours to write", "a model has two texts 'a'"
	};
	struct weir_learn_plan plan = recall_plan();
	struct weir_error e = { "" };
	struct file f;

	file_make(&f, &plan);
	for (int i = 0; i < 3; i++) {
		struct weir_learn_model model = { &f.desk.net, f.desk.weights, bad[i],
						  i == 2 ? 2 : 1 };

		CHECK_INT(weir_learn_model_encode(&model, f.data, &e), -1);
		CHECK_STR(e.text, messages[i]);
	}
	file_close(&f);
}

/* A file of this header and so many bytes of zeros is refused with that message. */
static void check_header(const char *header, size_t zeros, const char *message)
{
	size_t length = strlen(header);
	uint8_t *data = calloc(1, 8 + length + zeros);
	struct weir_learn_plan plan;
	struct weir_error e = { "" };

	CHECK(data != NULL);
	data[0] = (uint8_t)length;
	data[1] = (uint8_t)(length >> 8);
	memcpy(data + 8, header, length);
	CHECK_INT(weir_learn_model_plan((struct weir_learn_bytes){ data, 8 + length + zeros },
					&plan, &e),
		  -1);
	CHECK_CONTAINS(e.text, message);
	free(data);
}

#define TENSOR(name, shape, offsets) \
	"\"" name "\":{\"dtype\":\"F32\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"

TEST(test_learn_model_that_lies_about_its_bytes_is_refused)
{
	check_header("{" TENSOR("a", "2", "0,8") "}", 4, "tensor 'a' lies outside the file");
	check_header("{" TENSOR("a", "2", "8,0") "}", 8, "tensor 'a' lies outside the file");
	check_header("{" TENSOR("a", "3", "0,8") "}", 8, "a shape that does not fit its 8 bytes");
	check_header("{" TENSOR("a", "0,0", "0,0") "}", 0, "a shape that does not fit");
	check_header("{" TENSOR("a", "4294967296,4294967296", "0,8") "}", 8, "does not fit its 8");
	check_header("{" TENSOR("a", "2", "0,8") "," TENSOR("b", "2", "4,12") "}", 12,
		     "tensors 'a' and 'b' share bytes");
	check_header("{" TENSOR("a", "1", "0,4") "," TENSOR("a", "1", "4,8") "}", 8,
		     "two tensors 'a'");
	check_header("{" TENSOR("a", "1", "0,4") "}", 12, "8 of the file's 12 bytes of numbers");
	check_header("{" TENSOR("a", "1,1,1", "0,4") "}", 4, "a list of more than two numbers");
	check_header("{" TENSOR("a", "9007199254740992", "0,4") "}", 4, "a number of 2^53 or more");
	check_header("{" TENSOR("a", "-1", "0,4") "}", 4, "no whole number");
	check_header("{" TENSOR("a", "1", "0,4") "}", 4, "the model has no text 'layers'");
}

TEST(test_learn_model_with_a_bad_header_is_refused)
{
	static const uint8_t short_file[] = { 1, 2, 3 }, endless[16] = { [7] = 255 };
	struct weir_learn_plan plan;
	struct weir_error e = { "" };

	CHECK_INT(weir_learn_model_plan((struct weir_learn_bytes){ short_file, 3 }, &plan, &e), -1);
	CHECK_STR(e.text, "3 bytes are no model");
	CHECK_INT(weir_learn_model_plan((struct weir_learn_bytes){ endless, 16 }, &plan, &e), -1);
	CHECK_CONTAINS(e.text, "a header of 18374686479671623680 bytes in a file of 16");
	check_header("", 0, "the header ends where '{' is expected");
	check_header("{}", 0, "byte 0x7d where '\"' is expected");
	check_header("{\"a\":[[[[[[[[", 0, "byte 0x5b where '{' is expected");
	check_header("{\"a\":{\"dtype\":{", 0, "byte 0x7b where '\"' is expected");
	check_header("{\"a\":{\"dtype\":\"F64\"", 0, "tensor 'a' is of type 'F64', not F32");
	check_header("{\"a\":{\"colour\":1}}", 0, "tensor 'a' has an unknown member 'colour'");
	check_header("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "says something twice");
	check_header("{\"a\":{\"dtype\":\"F32\"}}", 0, "lacks its type, shape or offsets");
	check_header("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "its metadata twice");
	check_header("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0, "two texts 'a'");
	check_header("{\"__metadata__\":{\"a\":1}}", 0, "byte 0x31 where '\"' is expected");
	check_header("{\"__metadata__\":{\"a\":\"\\ud800\"}}", 0, "a bad \\u in a string");
	check_header("{\"__metadata__\":{\"a\":\"\\x\"}}", 0, "an unknown escape in a string");
	check_header("{\"__metadata__\":{\"a\":\"\xc0\x80\"}}", 0, "byte 0xc0 in a string");
	check_header("{\"__metadata__\":{\"a\":\"", 0, "the header ends where '\"' is expected");
	check_header("{\"__metadata__\":{}}x", 0, "something follows the header's object");
	check_header("{\"__metadata__\":{\"layers\":\"sequence 1\"}}", 0, "a net begins with");
	check_header(
		"{\"__metadata__\":{\"layers\":\"sequence 0; current 2; dense 4096 relu < current"
		"\"}}",
		0, "tensor '0.weight' [4096, 2] is missing");
}

/* A few bytes of a good file changed, cut off or doubled, again and again: never a crash, and what
 * is accepted has only numbers that are some. */
TEST(test_learn_model_survives_twenty_thousand_mutations)
{
	struct weir_learn_plan plan = recall_plan(), back;
	struct weir_rng r = weir_rng_make(1, 1, WEIR_RNG_TEST);
	struct weir_error e = { "" };
	struct weir_learn_net net;
	uint32_t accepted = 0;
	float *weights;
	struct file f;

	file_make(&f, &plan);
	weights = fixture_floats(f.desk.net.weight_floats);
	for (int i = 0; i < 20000; i++) {
		size_t size = i % 4 ? f.bytes.size : weir_rng_below(&r, f.bytes.size);
		size_t reach = i % 2 && size > 900 ? 900 : size; /* mostly the header */
		uint8_t *mutant = malloc(size + 1);

		CHECK(mutant != NULL);
		memcpy(mutant, f.data, size);
		for (uint64_t k = weir_rng_below(&r, 4); k-- > 0 && size;) {
			size_t at = weir_rng_below(&r, reach), from = weir_rng_below(&r, reach);

			mutant[at] = k % 2 ? mutant[from] : (uint8_t)weir_rng_u64(&r);
		}
		if (weir_learn_model_plan((struct weir_learn_bytes){ mutant, size }, &back, &e) ==
			    0 &&
		    weir_learn_net_init(&net, &back, &e) == 0 &&
		    net.weight_floats == f.desk.net.weight_floats &&
		    weir_learn_model_decode((struct weir_learn_bytes){ mutant, size }, &net,
					    weights, &e) == 0) {
			CHECK_INT(weir_learn_make_finite(weights, net.weight_floats), 0);
			accepted++;
		} else {
			CHECK(e.text[0] != '\0');
		}
		free(mutant);
	}
	/* Those that nothing happened to, or a weight or a text. */
	CHECK(accepted > 4000 && accepted < 16000);
	free(weights);
	file_close(&f);
}
